import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { HubError } from './hub-error.ts';

const HUB_URL = 'https://huggingface.co';
const REVISION = 'main';

/** The hub decides by the beginning of a file whether it is text. */
const SAMPLE_BYTES = 512;

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const CALL_TIMEOUT_MS = 60_000;

/** An upload of some hundred megabytes over a slow line. */
const UPLOAD_TIMEOUT_MS = 3_600_000;

export interface PushToHubOptions {
  directory: string;
  /** From the directory, with slashes. */
  files: readonly string[];
  /** `owner/name`. */
  repository: string;
  token: string;
  /** Everybody may read it. Private unless told. */
  isPublic?: boolean;
  message?: string;
  hubUrl?: string;
  fetch?: typeof fetch;
  wait?: (milliseconds: number) => Promise<unknown>;
}

export interface HubPush {
  url: string;
  commit: string;
}

const repositorySchema = z.looseObject({ private: z.boolean() });
const preuploadSchema = z.looseObject({
  files: z.array(z.looseObject({ path: z.string(), uploadMode: z.enum(['lfs', 'regular']) })),
});
const actionSchema = z.looseObject({ href: z.string(), header: z.record(z.string(), z.string()).optional() });
const batchSchema = z.looseObject({
  objects: z.array(
    z.looseObject({
      oid: z.string(),
      actions: z.looseObject({ upload: actionSchema.optional(), verify: actionSchema.optional() }).optional(),
      error: z.looseObject({ message: z.string() }).optional(),
    }),
  ),
});
const commitSchema = z.looseObject({ commitUrl: z.string(), commitOid: z.string() });

interface HubFile {
  path: string;
  bytes: Uint8Array;
  digest: string;
}

/** Makes the repository if it is not there, uploads the files and commits them together. Pushing the same again is harmless. */
export async function pushToHub(options: PushToHubOptions): Promise<HubPush> {
  const { directory, repository, isPublic = false, hubUrl = HUB_URL } = options;
  const [owner, name, ...rest] = repository.split('/');
  if (owner === undefined || owner === '' || name === undefined || name === '' || rest.length > 0) {
    throw new HubError({ message: `${JSON.stringify(repository)} is not a name on the hub; write owner/name.` });
  }
  const call = createCall(options);
  await prepareRepository({ call, hubUrl, owner, name, isPublic });

  const files: HubFile[] = [];
  for (const path of options.files) {
    const bytes = await readFile(join(directory, path));
    files.push({ path, bytes, digest: createHash('sha256').update(bytes).digest('hex') });
  }
  const plan = preuploadSchema.parse(
    await call(`${hubUrl}/api/datasets/${repository}/preupload/${REVISION}`, {
      files: files.map(({ path, bytes }) => ({
        path,
        size: bytes.length,
        sample: Buffer.from(bytes.subarray(0, SAMPLE_BYTES)).toString('base64'),
      })),
    }),
  );
  const large = new Set(plan.files.filter(({ uploadMode }) => uploadMode === 'lfs').map(({ path }) => path));
  const uploads = files.filter(({ path }) => large.has(path));
  if (uploads.length > 0) await uploadLarge({ call, hubUrl, repository, uploads });

  const lines = [
    { key: 'header', value: { summary: options.message ?? `Upload ${name} with Lachesis`, description: '' } },
    ...files.map(({ path, bytes, digest }) =>
      large.has(path)
        ? { key: 'lfsFile', value: { path, algo: 'sha256', oid: digest, size: bytes.length } }
        : { key: 'file', value: { path, encoding: 'base64', content: Buffer.from(bytes).toString('base64') } },
    ),
  ];
  const commit = commitSchema.parse(
    await call(
      `${hubUrl}/api/datasets/${repository}/commit/${REVISION}`,
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      { contentType: 'application/x-ndjson' },
    ),
  );
  return { url: `${hubUrl}/datasets/${repository}`, commit: commit.commitOid };
}

async function prepareRepository(options: {
  call: Call;
  hubUrl: string;
  owner: string;
  name: string;
  isPublic: boolean;
}): Promise<void> {
  const { call, hubUrl, owner, name, isPublic } = options;
  const visibility = isPublic ? 'public' : 'private';
  try {
    await call(`${hubUrl}/api/repos/create`, { type: 'dataset', name, organization: owner, visibility });
    return;
  } catch (error) {
    if (!HubError.isInstance(error) || error.status !== 409) throw error;
  }
  // It was there before. What was meant to be private must not land where everybody reads.
  const there = repositorySchema.parse(await call(`${hubUrl}/api/datasets/${owner}/${name}`));
  if (!there.private && !isPublic) {
    throw new HubError({
      message: `${owner}/${name} is there already and public; nothing was sent. Say --public if everybody may read the rows, or push to another name.`,
    });
  }
}

async function uploadLarge(options: {
  call: Call;
  hubUrl: string;
  repository: string;
  uploads: readonly HubFile[];
}): Promise<void> {
  const { call, hubUrl, repository, uploads } = options;
  const batch = batchSchema.parse(
    await call(
      `${hubUrl}/datasets/${repository}.git/info/lfs/objects/batch`,
      {
        operation: 'upload',
        transfers: ['basic', 'multipart'],
        hash_algo: 'sha256',
        ref: { name: REVISION },
        objects: uploads.map(({ digest, bytes }) => ({ oid: digest, size: bytes.length })),
      },
      { contentType: 'application/vnd.git-lfs+json' },
    ),
  );
  for (const object of batch.objects) {
    const file = uploads.find(({ digest }) => digest === object.oid);
    if (file === undefined) continue;
    if (object.error !== undefined) {
      throw new HubError({ message: `the hub does not take ${file.path}: ${object.error.message}` });
    }
    const upload = object.actions?.upload;
    // Without an action the hub has these bytes already.
    if (upload === undefined) continue;
    const chunkBytes = Number(upload.header?.['chunk_size']);
    if (Number.isFinite(chunkBytes) && chunkBytes > 0) await uploadParts({ call, file, upload, chunkBytes });
    // Storage is another host: the link itself is the permission, and our token is not for it.
    else await call.put(upload.href, file.bytes);
    const verify = object.actions?.verify;
    if (verify !== undefined) await call(verify.href, { oid: file.digest, size: file.bytes.length });
  }
}

async function uploadParts(options: {
  call: Call;
  file: HubFile;
  upload: z.infer<typeof actionSchema>;
  chunkBytes: number;
}): Promise<void> {
  const { call, file, upload, chunkBytes } = options;
  const links = Object.entries(upload.header ?? {})
    .filter(([key]) => /^\d+$/.test(key))
    .sort(([left], [right]) => Number(left) - Number(right));
  const parts: { partNumber: number; etag: string }[] = [];
  for (const [index, [, href]] of links.entries()) {
    const etag = await call.put(href, file.bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes));
    if (etag === null)
      throw new HubError({ message: `the hub's storage gave no etag for a part of ${file.path}; try again.` });
    parts.push({ partNumber: index + 1, etag });
  }
  await call(upload.href, { oid: file.digest, parts }, { contentType: 'application/vnd.git-lfs+json' });
}

interface Call {
  /** POST with a body, GET without one; the answer's JSON. */
  (url: string, body?: unknown, options?: { contentType?: string }): Promise<unknown>;
  /** To storage, without the token. Gives the etag. */
  put(url: string, bytes: Uint8Array): Promise<string | null>;
}

function createCall(options: PushToHubOptions): Call {
  const { token, hubUrl = HUB_URL, fetch: send = fetch, wait = sleep } = options;
  const attempt = async (url: string, init: RequestInit, timeoutMs: number): Promise<Response> => {
    for (let count = 1; ; count++) {
      const response = await send(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }).catch(
        (error: unknown) => error,
      );
      const isLast = count === ATTEMPTS;
      if (response instanceof Response) {
        if (response.ok) return response;
        if (isLast || (response.status < 500 && response.status !== 429)) throw await describeRefusal(url, response);
      } else if (isLast) {
        throw new HubError({ message: `${new URL(url).host} could not be reached; try again.`, cause: response });
      }
      await wait(FIRST_PAUSE_MS * 2 ** (count - 1));
    }
  };
  const call = async (url: string, body?: unknown, { contentType = 'application/json' } = {}): Promise<unknown> => {
    const isHub = new URL(url).origin === new URL(hubUrl).origin;
    const headers: Record<string, string> = { accept: contentType === 'application/x-ndjson' ? '*/*' : contentType };
    if (isHub) headers['authorization'] = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = contentType;
    const init: RequestInit =
      body === undefined
        ? { headers }
        : { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await attempt(url, init, CALL_TIMEOUT_MS);
    const text = await response.text();
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new HubError({
        message: `${new URL(url).host} answered something other than JSON; is it a hub?`,
        cause: error,
      });
    }
  };
  return Object.assign(call, {
    async put(url: string, bytes: Uint8Array): Promise<string | null> {
      const response = await attempt(url, { method: 'PUT', body: bytes as Uint8Array<ArrayBuffer> }, UPLOAD_TIMEOUT_MS);
      return response.headers.get('etag');
    },
  });
}

async function describeRefusal(url: string, response: Response): Promise<HubError> {
  const { status } = response;
  const said = (await response.text()).slice(0, 300);
  const next =
    status === 401 || status === 403
      ? 'The token in HF_TOKEN needs the right to write to this account.'
      : 'Try again later, or look at the status of the hub.';
  return new HubError({ status, message: `${new URL(url).pathname} was answered with ${status}: ${said}\n${next}` });
}
