import { joinResults, ok, warn, type CheckResult } from './finding.ts';

export interface PortFacts {
  readonly port: number;
  /** What listens there by default. */
  readonly station: string;
  /** The option that chooses another. */
  readonly option: string;
  readonly isFree: boolean;
  /** Who listens; undefined when that cannot be told, as for a program of another user. */
  readonly holder: { pid: number; command: string; isOurs: boolean } | undefined;
}

/** A port in use by ourselves is well; by another it is no fault, and has to be known. */
export function checkPorts(ports: readonly PortFacts[]): CheckResult {
  const free = ports.filter(({ isFree }) => isFree).map(({ port }) => port);
  const ours = ports.flatMap(({ port, holder }) => (holder?.isOurs === true ? [`${port} (pid ${holder.pid})`] : []));
  const taken = ports.filter(({ isFree, holder }) => !isFree && holder?.isOurs !== true);
  return joinResults([
    ...(free.length === 0 ? [] : [ok(`${free.join(', ')} free`)]),
    ...(ours.length === 0 ? [] : [ok(`Lachesis on ${ours.join(', ')}`)]),
    ...taken.map(({ port, station, option, holder }) => {
      const who = holder === undefined ? 'another user’s program' : `${holder.command} (pid ${holder.pid})`;
      return warn(`${port} (${station}) held by ${who}`, `End it, or choose another port with ${option}.`);
    }),
  ]);
}
