import { RUN_ROLES, type RunRole } from '@lachesis/protocol';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { readEvents } from '../api/events.ts';
import { followTopic } from '../api/stream.ts';
import { mountLog } from '../parts/log-view.ts';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useWords } from '../shell/use-search.ts';

const TAIL = 5_000;
const NAMES: Readonly<Record<RunRole, string>> = { api: 'trajectory API', trainer: 'trainer', env: 'environment' };
const VIEWS = (['trainer', 'env', 'api'] as const).map((role) => [role, NAMES[role]] as const);

/** What the processes of a run say, as they say it. */
export function RunLogs({ run, isEnded }: { run: string; isEnded: boolean }): ReactNode {
  const [words] = useWords();
  const role = RUN_ROLES.find((each) => each === words['role']) ?? 'trainer';
  return (
    <div className="stack">
      <Tabs label="Logs" name="role" views={VIEWS} open={role} />
      <LogTail key={role} run={run} role={role} isEnded={isEnded} />
    </div>
  );
}

function LogTail({ run, role, isEnded }: { run: string; role: RunRole; isEnded: boolean }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [count, setCount] = useState(0);
  const [isOver, setOver] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const ending = new AbortController();
    const log = mountLog(element);
    let unfollow = (): void => undefined;
    const add = (data: unknown): void => {
      const { lines } = data as { lines: string[] };
      log.add(lines);
      setCount((before) => before + lines.length);
    };
    readEvents(`/runs/${encodeURIComponent(run)}/logs/${role}?tail=${TAIL}&follow=false`, ending.signal, (event) => {
      if (event.event === 'lines') add(JSON.parse(event.data));
    }).then(
      (offset) => {
        setOver(true);
        if (isEnded || ending.signal.aborted) return;
        unfollow = followTopic(`logs:${run}:${role}`, (event, data) => event === 'lines' && add(data), offset ?? 0);
      },
      (cause: unknown) => ending.signal.aborted || setError(cause),
    );
    return () => {
      ending.abort();
      unfollow();
      log.destroy();
      setCount(0);
    };
  }, [run, role, isEnded]);
  return (
    <>
      {error !== undefined && <Refused error={error} />}
      {count === 0 && !isOver && error === undefined && <Loading rows={8} label="Loading the log" />}
      {count === 0 && isOver && error === undefined && <Empty title={`The ${NAMES[role]} has said nothing.`} />}
      <div
        className="log"
        ref={place}
        role="log"
        aria-label={`Log of the ${NAMES[role]}`}
        tabIndex={0}
        hidden={count === 0}
      />
      {count > 0 && (
        <p className="soft">
          {count} lines{isEnded ? '; the run has ended' : ', more as they come'}
        </p>
      )}
    </>
  );
}
