import { constants, gzipSync } from 'node:zlib';

import type { Template } from './load-templates.ts';

/** Marks the ids of this benchmark inside a reply; nothing else in a body can look like it. */
const GROUP_MARK = 'BENCHGROUP';
const ID_DIGITS = 8;

export interface ComposedBody {
  readonly id: number;
  readonly template: number;
  readonly wire: Buffer;
  readonly inflatedBytes: number;
}

/**
 * A scored group as an environment posts it. Two gzip members after one another are one valid gzip stream, so each body gets
 * its own id in `group_overrides` without compressing the half megabyte behind it again.
 */
export function composeBody(options: { id: number; envId: number; templates: readonly Template[] }): ComposedBody {
  const { id, envId, templates } = options;
  const index = id % templates.length;
  const template = templates[index];
  if (template === undefined) throw new Error('there are no templates');
  const mark = `${GROUP_MARK}${String(id).padStart(ID_DIGITS, '0')}`;
  const head = Buffer.from(
    `{"group_overrides": {"bench": "${mark}"}, "generation_params": {"temperature": 1.0}, "env_id": ${envId}, `,
  );
  // The smallest window: setting up a full one costs more than compressing these hundred bytes.
  const member = gzipSync(head, { level: constants.Z_BEST_SPEED, windowBits: 9, memLevel: 1 });
  return {
    id,
    template: index,
    wire: Buffer.concat([member, template.gzipped]),
    inflatedBytes: head.length + template.inflatedBytes,
  };
}

/** The ids in a reply, in order, found by their mark: parsing megabytes of JSON would load the machine being measured. */
export function findGroupIds(inflatedReply: Buffer): number[] {
  const ids: number[] = [];
  let at = inflatedReply.indexOf(GROUP_MARK);
  while (at >= 0) {
    const start = at + GROUP_MARK.length;
    ids.push(Number(inflatedReply.toString('latin1', start, start + ID_DIGITS)));
    at = inflatedReply.indexOf(GROUP_MARK, start);
  }
  return ids;
}
