import type { EngineProgress } from '@lachesis/tinker/engine';
import { renderBar, renderCurve } from '../terminal/render-curve.ts';
import type { StepFacts } from './follow-metrics.ts';

type EngineStep = EngineProgress['step'];

/** What the demo says while it works. */
export interface View {
  /** A line that stays. What is live is taken away first. */
  log(line: string): void;
  engine(progress: EngineProgress): void;
  warmUp(step: number, of: number, loss: number): void;
  waiting(text: string): void;
  step(facts: StepFacts, all: readonly StepFacts[], of: number): void;
  /** Leaves what is live as it is. */
  settle(): void;
}

export interface ViewOptions {
  readonly write: (text: string) => void;
  /** Whether lines can be drawn again. Elsewhere each step is a line of its own. */
  readonly isLive: boolean;
  readonly now: () => number;
  /** Characters in a line. */
  readonly columns: number;
}

/** In the order in which they come; a wait for another process or a download can come anywhere. */
const ENGINE_STEPS: readonly EngineStep[] = ['python', 'venv', 'install', 'model', 'start'];
const BAR = 20;

export function createView({ write, isLive, now, columns }: ViewOptions): View {
  const startedAt = now();
  let live = 0;
  let reached = 0;

  const erase = (): void => {
    if (live > 0) write(`\u001B[${live}A\u001B[J`);
    live = 0;
  };
  const render = (lines: readonly string[]): void => {
    erase();
    // A line that wraps would be two, and the next erasing one short.
    write(
      lines
        .map(
          (line) =>
            `${Array.from(line)
              .slice(0, columns - 1)
              .join('')}\n`,
        )
        .join(''),
    );
    live = lines.length;
  };
  const log = (line: string): void => {
    erase();
    write(`${line}\n`);
  };
  const seconds = (): string => `${Math.round((now() - startedAt) / 1000)} s`;

  return {
    log,
    engine({ step, message }) {
      if (!isLive) return log(`  [${seconds().padStart(5)}] ${message}`);
      const place = ENGINE_STEPS.indexOf(step) + 1;
      reached = Math.max(reached, place);
      const filled = Math.round((BAR * reached) / ENGINE_STEPS.length);
      return render([`  [${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] ${seconds()}  ${message}`]);
    },
    warmUp(step, of, loss) {
      const filled = Math.round((BAR * step) / of);
      if (isLive)
        render([`  [${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] step ${step}/${of}  loss ${loss.toFixed(2)}`]);
    },
    waiting(text) {
      if (isLive) render([`  ${text}`]);
      else log(`  ${text}`);
    },
    step(facts, all, of) {
      const line = describeStep(facts, of);
      if (!isLive) return log(`${line}  ${renderBar(facts.reward)}`);
      // A chart that is wider than the terminal cannot be drawn again; then each step is one column.
      const columnWidth = of * 2 + 20 < columns ? 2 : 1;
      const rewards = all.map(({ reward }) => reward);
      return render([...renderCurve(rewards, { steps: of, columnWidth }), line]);
    },
    settle() {
      live = 0;
    },
  };
}

function describeStep({ step, reward, seconds }: StepFacts, of: number): string {
  return `  step ${String(step).padStart(String(of).length)}/${of}  reward ${reward.toFixed(3)}  ${seconds.toFixed(1).padStart(4)} s`;
}
