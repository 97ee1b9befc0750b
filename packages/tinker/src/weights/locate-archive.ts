import { planArchive } from './request-plans.ts';
import type { TinkerPath } from './tinker-path.ts';
import { formatTinkerPath } from './tinker-path.ts';
import { WeightsError } from './weights-error.ts';
import { openUrl, redirectOf, refusal, urlOf } from './weights-server.ts';
import type { WeightsServer } from './weights-server.ts';

export interface LocateArchiveOptions {
  server: WeightsServer;
  path: TinkerPath;
  idleMs: number;
  signal?: AbortSignal | undefined;
}

/** Answers that mean: not in this form, or not here at all. SkyRL answers 405 to the form with a kind. */
const NOT_THIS_FORM = new Set([400, 404, 405, 422]);

/** Asks where the archive of a checkpoint is. The answer may be a `file:` address. */
export async function locateArchive({ server, path, idleMs, signal }: LocateArchiveOptions): Promise<URL> {
  // The bare name always means sampling weights: asked for a training state of that name it gives other weights.
  const forms = path.kind === 'weights' ? (['typed'] as const) : (['typed', 'bare'] as const);
  let status = 0;
  for (const form of forms) {
    const opened = await openUrl({ server, url: urlOf(server, planArchive(path, form)), idleMs, signal });
    opened.close();
    const target = redirectOf(opened);
    if (target !== undefined) return target;
    // Some server might send the bytes at once; then this is where they are.
    if (opened.response.ok) return opened.url;
    ({ status } = opened.response);
    if (!NOT_THIS_FORM.has(status)) throw refusal(opened, 'the question for an archive');
  }
  const message =
    `The server has no archive of ${formatTinkerPath(path)} (HTTP ${status}). ` +
    (path.kind === 'weights'
      ? 'Training states often have none: save the weights for sampling, or with save_weights_external, and download those.'
      : 'Save them with save_weights_external and download that path, if the server has it.');
  throw new WeightsError({ reason: 'no-archive', status, message });
}
