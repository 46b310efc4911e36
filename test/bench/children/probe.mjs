// Loaded into every measured process before its own module: tells how much CPU and memory it used, and ends it with its
// parent. JavaScript, for compiled programs know no other.

const ANSWERS = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** The most it ever had resident, in kilobytes. */
  peakMemory: () => process.resourceUsage().maxRSS,
};

process.on('message', ({ question = '' }) => {
  const answer = ANSWERS[question];
  if (answer) process.send({ answer: question, value: answer() });
});
process.on('disconnect', () => process.exit());
