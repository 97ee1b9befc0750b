import { HEADERS, CONSENTS, isRecord, LachesisError, type Consent } from '@lachesis/protocol';
import type { FastifyRequest } from 'fastify';
import { readCredential } from '../../http/access/read-credential.ts';
import { splitCredential } from '../../http/access/split-credential.ts';

/** What a caller says about a call besides the call. */
export interface CallLabels {
  /** The caller's key for the trajectory, or null to have it found. */
  trajectory: string | null;
  user: string | null;
  tags: readonly string[];
  /** `none` leaves the call out; undefined leaves it to the settings. */
  consent: Consent | 'none' | undefined;
  metadata?: Record<string, unknown> | null;
  /** A rollout of an environment, which comes back as a sequence of a group. */
  isRollout: boolean;
}

/** The bounds of the fields of a record. */
const MAX_KEY = 200;
const MAX_TAG = 100;
const MAX_TAGS = 50;

/** Reads the labels of a request: header before path before key. A label that cannot be kept is refused with its name. */
export function readCallLabels(request: Pick<FastifyRequest, 'headers' | 'params'>): CallLabels {
  const { headers } = request;
  const one = (name: string): string | undefined => {
    const value = headers[name];
    const text = (Array.isArray(value) ? value.join(',') : value)?.trim();
    return text === '' ? undefined : text;
  };
  const { trajectory: fromPath } = (request.params ?? {}) as { trajectory?: string };
  const fromKey = (): string | undefined => splitCredential(readCredential(headers.authorization) ?? '').trajectory;
  return {
    trajectory: bounded(HEADERS.trajectory, one(HEADERS.trajectory) ?? fromPath ?? fromKey()),
    user: bounded(HEADERS.user, one(HEADERS.user)),
    tags: readTags(one(HEADERS.tags)),
    consent: readConsent(one(HEADERS.consent)),
    metadata: readMetadata(one(HEADERS.metadata)),
    isRollout: headers[HEADERS.rolloutId] !== undefined,
  };
}

function bounded(field: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.length <= MAX_KEY) return text;
  throw badLabel(field, `has ${text.length} characters; it may have ${MAX_KEY}`);
}

function readTags(text: string | undefined): string[] {
  if (text === undefined) return [];
  const tags = [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
  if (tags.length > MAX_TAGS) throw badLabel(HEADERS.tags, `has ${tags.length} tags; it may have ${MAX_TAGS}`);
  const long = tags.find((tag) => tag.length > MAX_TAG);
  if (long !== undefined)
    throw badLabel(HEADERS.tags, `has a tag of ${long.length} characters; it may have ${MAX_TAG}`);
  return tags;
}

// Refused and not guessed: somebody who misspells "none" believes that nothing is kept.
function readConsent(text: string | undefined): CallLabels['consent'] {
  if (text === undefined || text === 'none') return text;
  const found = CONSENTS.find((consent) => consent === text);
  if (found !== undefined) return found;
  throw badLabel(HEADERS.consent, `must be one of ${[...CONSENTS, 'none'].join(', ')}`);
}

function readMetadata(text: string | undefined): Record<string, unknown> | null {
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return withoutServersOwn(value);
  } catch {
    // Told below, as for JSON that is no object.
  }
  throw badLabel(HEADERS.metadata, 'must be an object as JSON');
}

/** Which model answered is the server's to say: lineage is made of it. */
function withoutServersOwn({ model_version_id: _said, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest;
}

const badLabel = (field: string, message: string): LachesisError =>
  new LachesisError({
    code: 'bad-request',
    message: `the header ${field} ${message}`,
    issues: [{ sequence: null, field, message }],
  });
