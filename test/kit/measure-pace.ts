const ROUNDS = 5;
const PARSES = 2_000;
/** CPU-milliseconds of a round where the bars of milliseconds were set. */
const USUAL_MS = 320;

/**
 * How many times slower this machine is at this moment than the one on which bars in CPU time were set; 1 where it is as quick.
 * Machines of one kind differ by half, and a bar must not tell who else is on the host.
 */
export function measurePace(): number {
  const text = JSON.stringify(
    Array.from({ length: 200 }, (_, index) => ({ id: index, text: `sample ${index}`, values: [index, index / 3] })),
  );
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (let count = 0; count < PARSES; count += 1) JSON.stringify(JSON.parse(text));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.max(1, Math.min(...rounds) / USUAL_MS);
}
