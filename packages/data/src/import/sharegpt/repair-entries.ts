import { createHash } from 'node:crypto';
import type { ShareGptElement } from '../../export/sharegpt/to-sharegpt.ts';
import type { Repair } from '../../records/read-result.ts';

/** An entry of a file of Hermes on its way to a record. */
export interface Entry {
  elements: ShareGptElement[];
  repairs: Repair[];
}

const isHuman = ({ from }: ShareGptElement): boolean => from === 'human' || from === 'user';

/** A list that began with a system message has the question twice, once for each. */
export function dropRepeatedQuestion(entry: Entry): void {
  const [, first, second] = entry.elements;
  if (first === undefined || second === undefined || !isHuman(first) || !isHuman(second)) return;
  if (first.value !== second.value) return;
  entry.elements.splice(2, 1);
  entry.repairs.push({ kind: 'question-twice', what: 'The first question stood there twice.' });
}

/** In a session with history the question of the day stands in the place of the first one. */
function isFirstOverwritten({ elements }: Entry): boolean {
  const humans = elements.filter(isHuman);
  return humans.length > 1 && elements[1] === humans[0] && humans[0]?.value === humans.at(-1)?.value;
}

/** Everything behind the first question, as a name. */
const nameBody = ({ elements }: Entry): string => {
  const hash = createHash('sha256');
  for (const element of elements.slice(2)) hash.update(`${JSON.stringify(element)}\n`);
  return hash.digest('hex');
};

/** The names of what the body was at the end of each turn before. */
function* nameEarlierBodies({ elements }: Entry): Generator<string> {
  const hash = createHash('sha256');
  for (const [at, element] of elements.entries()) {
    if (at < 2) continue;
    if (at > 2 && isHuman(element)) yield hash.copy().digest('hex');
    hash.update(`${JSON.stringify(element)}\n`);
  }
}

export interface EntryWindow<E extends Entry> {
  /** Takes the next entry of the file and gives those that nothing later can change. */
  add(entry: E): E[];
  end(): E[];
}

/**
 * Hermes appends the whole session again at the end of each turn. Of entries that contain one another the last is kept, with
 * the first question of the first. Looks back over so many entries, so that a file of any size can be read.
 */
export function createEntryWindow<E extends Entry>(size: number): EntryWindow<E> {
  const held = new Map<string, E>();
  return {
    add(entry) {
      dropRepeatedQuestion(entry);
      const wasOverwritten = isFirstOverwritten(entry);
      for (const name of [...nameEarlierBodies(entry)].toReversed()) {
        const earlier = held.get(name);
        const isSameFirst = earlier?.elements[1]?.value === entry.elements[1]?.value;
        if (earlier === undefined || !(wasOverwritten || isSameFirst)) continue;
        held.delete(name);
        if (!isSameFirst) {
          entry.elements[1] = earlier.elements[1] as ShareGptElement;
          entry.repairs.push({
            kind: 'first-question-restored',
            what: 'A later question stood in the place of the first one.',
          });
        }
        entry.repairs.push(...earlier.repairs.filter(({ kind }) => kind === 'nested-duplicate'));
        entry.repairs.push({ kind: 'nested-duplicate', what: 'An entry that this one contains was left out.' });
        break;
      }
      const name = nameBody(entry);
      const twin = held.get(name);
      // Two sessions with the same answers: the earlier one can no longer be told from this one.
      const out = twin === undefined ? [] : [finish(twin)];
      held.delete(name);
      held.set(name, entry);
      if (held.size > size) {
        const [oldest] = held;
        if (oldest !== undefined) {
          held.delete(oldest[0]);
          out.push(finish(oldest[1]));
        }
      }
      return out;
    },
    end() {
      const rest = [...held.values()].map(finish);
      held.clear();
      return rest;
    },
  };
}

/** Without the entry that had the first question, the first answer has lost its prompt: both go. */
function finish<E extends Entry>(entry: E): E {
  if (!isFirstOverwritten(entry)) return entry;
  const next = entry.elements.findIndex((element, at) => at > 1 && isHuman(element));
  entry.elements.splice(1, next - 1);
  entry.repairs.push({
    kind: 'first-question-lost',
    what: 'A later question stood in the place of the first one, so the first exchange was left out.',
  });
  return entry;
}
