import { readFile } from 'node:fs/promises';
import { DemoError } from './demo-error.ts';

export interface Station {
  readonly name: string;
  readonly logFile: string;
}

const LINES = 12;
const LONGEST = 240;

/** Puts beside a failure what the station it names printed last. `stations` in the order of suspicion. */
export async function explainFailure(
  reason: string,
  { stations, cause }: { stations: readonly Station[]; cause?: unknown },
): Promise<DemoError> {
  const named = stations.find(({ logFile }) => reason.includes(logFile));
  const station = named ?? stations[0];
  if (station === undefined) throw new Error('there is no station to explain');
  const text = await readFile(station.logFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return new DemoError({
    station: station.name,
    // The path comes with the lines.
    reason: reason.replace(/; (?:its log is|see) \S+$|\. Its (?:last lines:|log is empty)[\s\S]*$/, ''),
    logFile: station.logFile,
    lastLines: text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-LINES)
      .map((line) => toSentence(line).slice(0, LONGEST)),
    cause,
  });
}

/** Stations log JSON; a person wants the sentence. */
function toSentence(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
    const parts = [msg, err?.message].filter((part) => part !== undefined && part !== '');
    return parts.length === 0 ? line : parts.join(': ');
  } catch {
    // Not JSON after all.
    return line;
  }
}
