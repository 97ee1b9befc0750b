import { isFinalRunState, type RunStatus, type RunStop } from '@lachesis/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { requestJson } from '../api/request.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { Refused } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Modal } from '../shell/modal.tsx';

type Change = 'stop' | 'resume';

const ASKED: Readonly<Record<Change, { title: string; text: string; button: string }>> = {
  stop: {
    title: 'Stop this run?',
    text: 'Its processes end within 15 seconds. What it has learned and saved stays, and it can be resumed.',
    button: 'Stop',
  },
  resume: {
    title: 'Resume this run?',
    text: 'It goes on from what it saved, with the recipe it had.',
    button: 'Resume',
  },
};

/** Stop, resume, fork: asked once more, with the line that does the same. */
export function RunActions({ status }: { status: RunStatus }): ReactNode {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Change>();
  const run = status.run_id;
  const change: Change = isFinalRunState(status.status) ? 'resume' : 'stop';
  const fork = (): void => void navigate({ to: '/start', search: { from: run, environment: status.environment } });
  useKeys([
    { keys: 'S', label: `${change} the run`, run: () => setAsked(change) },
    { keys: 'F', label: 'fork: a new run with these settings', run: fork },
  ]);
  return (
    <>
      <Link to="/start" search={{ from: run, environment: status.environment }} className="button">
        Fork
      </Link>
      <button type="button" onClick={() => setAsked(change)} disabled={status.status === 'stopping'}>
        {ASKED[change].button}
      </button>
      {asked !== undefined && <Ask run={run} change={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function Ask({ run, change, onClose }: { run: string; change: Change; onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const { title, text, button } = ASKED[change];
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => requestJson<RunStop>(`/runs/${encodeURIComponent(run)}/${change}`, { method: 'POST', body: {} }),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ['run', run] });
    },
  });
  return (
    <Modal label={title} onClose={onClose}>
      <h2>{title}</h2>
      <p>{text}</p>
      <CommandLine command={change === 'stop' ? `stop ${run}` : `runs resume ${run}`} />
      {error !== null && <Refused error={error} />}
      <div className="actions">
        <button type="button" onClick={onClose}>
          Leave it
        </button>
        <button type="button" className="primary" onClick={() => mutate()} disabled={isPending} data-first>
          {button}
        </button>
      </div>
    </Modal>
  );
}
