// Loaded into every measured process before its own module: tells how much CPU it used, and ends it with its parent.

process.on('message', (message: { question?: string }) => {
  if (message.question !== 'cpu') return;
  const { user, system } = process.cpuUsage();
  process.send!({ answer: 'cpu', value: user + system });
});
process.on('disconnect', () => process.exit());
