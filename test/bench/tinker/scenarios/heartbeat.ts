import type { Scenario } from '../../../scenarios/scenario.ts';
import type { BlockOptions } from '../clients/block-options.ts';
import { runClient } from '../run-client.ts';
import { startRecordingServer } from '../server/start-recording-server.ts';

const MAX_GAP_MS = 12_000;
/** The short form blocks for two beats and a half, which a heartbeat that is held back cannot hide. */
const SHORT_BLOCK_MS = 25_000;
const FULL_BLOCK_MS = 60_000;

/** How long a session is silent while user code keeps the main thread to itself. */
export const heartbeatScenario: Scenario = {
  name: 'heartbeat',
  title: 'the heart beats at least every 12 s while user code blocks the main thread',
  async run(context) {
    const blockMs = context.full ? FULL_BLOCK_MS : SHORT_BLOCK_MS;
    const measure = async (heartbeat: BlockOptions['heartbeat']): Promise<{ beats: number; gapMs: number }> => {
      await using server = await startRecordingServer({ delayMs: 0, flags: {} });
      const options: BlockOptions = { url: server.url, blockMs, heartbeat };
      const { result } = await runClient<number[]>({
        file: 'block-process.ts',
        options,
        capSeconds: blockMs / 1000 + 30,
      });
      return { beats: result.length, gapMs: Math.max(...result.slice(1).map((at, index) => at - result[index]!)) };
    };
    const [ours, mutant] = await Promise.all([measure('client'), measure('main-thread')]);
    // Fewer beats than fit into the block would mean that the server did not see it.
    const fewest = Math.floor(blockMs / 10_000) + 1;
    context.report({
      name: `heartbeat while ${blockMs / 1000} s are blocked`,
      figure: `${ours.beats} beats, the longest gap ${(ours.gapMs / 1000).toFixed(1)} s`,
      bar: `≥ ${fewest} beats, gap ≤ ${MAX_GAP_MS / 1000} s`,
      ok: ours.beats >= fewest && ours.gapMs <= MAX_GAP_MS,
    });
    const isCaught = mutant.gapMs > MAX_GAP_MS;
    context.report({
      name: 'heartbeat mutant: on the main thread',
      figure: `${isCaught ? 'caught' : 'not noticed'}, a gap of ${(mutant.gapMs / 1000).toFixed(1)} s`,
      bar: 'caught',
      ok: isCaught,
    });
  },
};
