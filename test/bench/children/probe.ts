// Loaded into every measured process before its own module: tells how much CPU and memory it used, and ends it with its
// parent.

const ANSWERS: Readonly<Record<string, () => number>> = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** The most it ever had resident, in kilobytes. */
  peakMemory: () => process.resourceUsage().maxRSS,
};

process.on('message', ({ question = '' }: { question?: string }) => {
  const answer = ANSWERS[question];
  if (answer) process.send!({ answer: question, value: answer() });
});
process.on('disconnect', () => process.exit());
