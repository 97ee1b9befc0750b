import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Hub from '@huggingface/hub';
import { HubError } from './hub-error.ts';
import { createHubFetch, describeCause } from './send-to-hub.ts';

const HUB_URL = 'https://huggingface.co';

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
  signal?: AbortSignal;
}

export interface HubPush {
  url: string;
  commit: string;
}

/**
 * Makes the data set's repository if it is not there, uploads the files and commits them together. Pushing the same again is
 * harmless. Large files are read piece by piece, for their hash and again on their way.
 */
export async function pushToHub(options: PushToHubOptions): Promise<HubPush> {
  const { repository, token, hubUrl = HUB_URL, wait } = options;
  const { signal = new AbortController().signal } = options;
  if (!/^[^/]+\/[^/]+$/.test(repository)) {
    throw new HubError({
      ...{ kind: 'not-found', repository },
      reason: `${JSON.stringify(repository)} is not a name on the hub.`,
      hint: 'Write owner/name.',
    });
  }
  // Loaded here: most who export do not push.
  const hub = await import('@huggingface/hub');
  const call: HubCall = {
    repo: { type: 'dataset', name: repository },
    hubUrl,
    accessToken: token,
    fetch: createHubFetch({
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
      ...(wait === undefined ? {} : { sleep: async (ms: number) => void (await wait(ms)) }),
      signal,
    }),
  };
  try {
    await prepareRepository(hub, call, options.isPublic ?? false);
    const pushed = await hub.uploadFiles({
      ...call,
      files: options.files.map((path) => ({ path, content: pathToFileURL(join(options.directory, path)) })),
      commitTitle: options.message ?? `Upload ${repository.split('/')[1]} with Lachesis`,
      abortSignal: signal,
    });
    return { url: `${hubUrl}/datasets/${repository}`, commit: pushed?.commit.oid ?? '' };
  } catch (error) {
    throw describePushFailure(error, repository, hubUrl);
  }
}

interface HubCall {
  readonly repo: { readonly type: 'dataset'; readonly name: string };
  readonly hubUrl: string;
  readonly accessToken: string;
  readonly fetch: typeof fetch;
}

async function prepareRepository(hub: typeof Hub, call: HubCall, isPublic: boolean): Promise<void> {
  try {
    await hub.createRepo({ ...call, visibility: isPublic ? 'public' : 'private' });
    return;
  } catch (error) {
    if (statusOf(error) !== 409) throw error;
  }
  // It was there before. What was meant to be private must not land where everybody reads.
  const there = await hub.datasetInfo({ ...call, name: call.repo.name });
  if (!there.private && !isPublic) {
    throw new HubError({
      ...{ kind: 'refused', repository: call.repo.name },
      reason: `${call.repo.name} is there already and public; nothing was sent.`,
      hint: 'Say --public if everybody may read the rows, or push to another name.',
    });
  }
}

function describePushFailure(error: unknown, repository: string, hubUrl: string): unknown {
  if (HubError.isInstance(error)) return error;
  const { host } = new URL(hubUrl);
  const status = statusOf(error);
  const isNoAccess = status === 401 || status === 403;
  const said = error instanceof Error ? describeCause(error) : String(error);
  return new HubError({
    kind: isNoAccess ? 'no-access' : status === undefined || status >= 500 ? 'unreachable' : 'refused',
    ...{ repository, status, cause: error },
    reason: `${repository} could not be pushed to ${host}: ${status === undefined ? '' : `${status}, `}${said}.`,
    hint: isNoAccess
      ? 'The token in HF_TOKEN needs the right to write to this account.'
      : 'Try again later, or look at the status of the hub.',
  });
}

const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number }).statusCode;
