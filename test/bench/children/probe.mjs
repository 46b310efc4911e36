// Loaded into every measured process before its own module: reports CPU and memory, and ends the process with its
// parent. JavaScript, because compiled programs cannot load TypeScript.

const ANSWERS = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** The largest resident memory so far, in kilobytes. */
  peakMemory: () => process.resourceUsage().maxRSS,
};

process.on('message', ({ question = '' }) => {
  const answer = ANSWERS[question];
  if (answer) process.send({ answer: question, value: answer() });
});
process.on('disconnect', () => process.exit());
