const EIGHTHS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** Rewards from 0 to 1 as columns of blocks, with the places of the steps that are to come left empty. */
export function renderCurve(
  rewards: readonly number[],
  { steps, height = 8, columnWidth = 2 }: { steps: number; height?: number; columnWidth?: number },
): string[] {
  const rows = Array.from({ length: height }, (_unused, index) => {
    const floor = height - 1 - index;
    const label = index === 0 ? '1.0' : floor === 0 ? '0.0' : '   ';
    const columns = rewards.map((reward) => {
      const eighths = Math.round(clamp(reward) * height * 8) - floor * 8;
      return (EIGHTHS[Math.max(0, Math.min(8, eighths))] ?? ' ').repeat(columnWidth);
    });
    return `  ${label} │${columns.join('')}`;
  });
  return [...rows, `      └${'─'.repeat(steps * columnWidth)} ${steps} steps`];
}

/** One reward as a bar of at most `width` characters, for where nothing can be redrawn. */
export function renderBar(reward: number, width = 24): string {
  const eighths = Math.round(clamp(reward) * width * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + (PARTS[eighths % 8] ?? '');
}

const clamp = (value: number): number => Math.max(0, Math.min(1, value));
