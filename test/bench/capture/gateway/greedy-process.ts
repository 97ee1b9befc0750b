import { mkdtemp } from 'node:fs/promises';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallOutcome } from '../../../../packages/sdk/src/capture/index.ts';
import { buildInference } from '../../../../packages/server/src/inference/build.ts';
import type { CallRecorder } from '../../../../packages/server/src/inference/recording/call-recorder.ts';
import { createLog } from '../../../../packages/server/src/http/logs/create-log.ts';
import { readInferenceSettings } from '../../../../packages/server/src/http/settings/inference-settings.ts';

/*
 * Our gateway with a recorder as one would write it at first: before a reply goes on, the whole call is written to a file of
 * its own and pressed onto the disk, and the file is read again piece by piece. Prints its address as one JSON line.
 */

const upstreamUrl = process.env['LACHESIS_UPSTREAM_URL'];
const home = process.env['LACHESIS_HOME'] ?? (await mkdtemp(join(tmpdir(), 'lachesis-greedy-')));
const { values: settings } = readInferenceSettings({ home, upstreamUrl, logLevel: 'warn' }, {});
const log = createLog({ name: 'greedy', level: 'warn' });

let count = 0;
function press(body: unknown, outcome: CallOutcome): void {
  const text = JSON.stringify({ body, outcome });
  const file = openSync(join(home, `call-${(count += 1)}.json`), 'w');
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  // A reply that is parsed again with each of its pieces, as it grows.
  for (let piece = 0; piece < outcome.reply.choices.length * 64; piece += 1) JSON.parse(text);
}

const toGreedy = (real: CallRecorder): CallRecorder => ({
  begin(call) {
    const open = real.begin(call);
    if (open === undefined) return undefined;
    return {
      ...open,
      end(outcome) {
        press(call.body, outcome);
        open.end(outcome);
      },
    };
  },
});

const { app } = await buildInference({ settings, log, replace: { recorder: toGreedy } });
await app.listen({ port: 0, host: '127.0.0.1' });
const { port } = app.server.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
