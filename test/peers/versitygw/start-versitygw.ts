import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createS3Client } from '../../../packages/store/src/blobs/s3/s3-client.ts';
import { readS3Place } from '../../../packages/store/src/blobs/s3/s3-place.ts';
import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess, type RunningProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';

/** Why a line that needs the server is not run, or undefined. */
export const whyNoVersitygw = (): string | undefined =>
  (process.env['LACHESIS_VERSITYGW'] ?? '') === '' ? 'no S3 server here: .ci/setup --peers builds one' : undefined;

/** A real S3 server over a folder. */
export interface Versitygw extends AsyncDisposable {
  readonly url: string;
  /** What a client reads: keys and address. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes a bucket, and returns the folder of its objects. */
  makeBucket(bucket: string): Promise<string>;
  /** It stands still with whatever it was doing: requests wait in the middle. */
  freeze(): void;
  /** Ends it without a warning, also while it stands still. */
  kill(): Promise<void>;
  /** Starts it again at the same address over the same folder. */
  start(): Promise<void>;
}

/** Starts one over `folder`, which keeps its objects when it ends. */
export async function startVersitygw(folder: string): Promise<Versitygw> {
  const command = process.env['LACHESIS_VERSITYGW'];
  if (command === undefined) throw new Error('LACHESIS_VERSITYGW names no program');
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: randomBytes(12).toString('hex') },
    AWS_ENDPOINT_URL_S3: url,
  };
  const data = join(folder, 'data');
  await mkdir(data, { recursive: true });
  let running: RunningProcess | undefined;
  const start = async (): Promise<void> => {
    running = await startProcess({
      ...{
        command,
        name: 'versitygw',
        args: ['--port', `127.0.0.1:${port}`, '--quiet', '--keep-alive', '--health', '/healthz', 'posix', data],
      },
      env: { ROOT_ACCESS_KEY: env.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: env.AWS_SECRET_ACCESS_KEY },
    });
    await waitForHttp({ url: `${url}/healthz`, process: running });
  };
  await start();
  return {
    url,
    env,
    start,
    async makeBucket(bucket) {
      const send = createS3Client({ place: readS3Place(`s3://${bucket}`, env) });
      await send({ method: 'PUT', key: '', expect: [409] });
      return join(data, bucket);
    },
    freeze() {
      running?.signal('SIGSTOP');
    },
    async kill() {
      await running?.stop({ signal: 'SIGKILL' });
    },
    async [Symbol.asyncDispose]() {
      await running?.stop();
    },
  };
}
