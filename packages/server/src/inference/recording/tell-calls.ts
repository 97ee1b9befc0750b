import type { CallRecord } from '@lachesis/protocol';

/** Enough to find it with: the commands take the beginning of an id. */
const SHORT_ID = 13;
const SHORT_KEY = 24;
/** What a terminal would take for an instruction. */
const CONTROLS = /\p{Cc}/gu;

/** Tells the person at a terminal of each recorded call; undefined where there is none, as a line for each would fill a log. */
export function createCallTeller(
  terminal: { isTTY?: boolean; write(text: string): unknown } = process.stderr,
): ((record: CallRecord) => void) | undefined {
  return terminal.isTTY === true ? (record) => void terminal.write(`${renderCallLine(record)}\n`) : undefined;
}

/** When, which model, how many tokens, how long, and what it is called. */
export function renderCallLine(record: CallRecord): string {
  const { usage, state, trajectory, trajectory_id: id, record_id: turnId } = record;
  const time = new Date(record.started_at).toTimeString().slice(0, 8);
  const tokens = usage === null ? 'tokens unknown' : `${usage.prompt_tokens}+${usage.completion_tokens} tokens`;
  const name = trajectory?.slice(0, SHORT_KEY) ?? (id ?? turnId).slice(0, SHORT_ID);
  const ended = state === 'complete' ? '' : `  ${state}`;
  return `${time}  recorded  ${record.model}  ${tokens}  ${record.ended_at - record.started_at} ms  ${name}${ended}`.replaceAll(
    CONTROLS,
    '',
  );
}
