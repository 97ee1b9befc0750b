import type { ModelDetail, RegisteredPromotion } from '@lachesis/protocol';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { requestJson } from '../api/request.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { Refused } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Modal } from '../shell/modal.tsx';
import { readAuthor, writeAuthor } from '../api/author.ts';
import { GateList, listGates } from './model-gates.tsx';
import { improvementsQuery } from './queries.ts';

type Change = 'promote' | 'rollback';

/** Promote and roll back: asked once more, with what stands against it and the line that does the same. */
export function ModelActions({ detail }: { detail: ModelDetail }): ReactNode {
  const [asked, setAsked] = useState<Change>();
  const { model, promotions } = detail;
  const ask = (change: Change): void => {
    if (change === 'promote' ? !model.is_promoted : promotions.length > 0) setAsked(change);
  };
  useKeys([
    { keys: 'P', label: 'promote this version', run: () => ask('promote') },
    { keys: 'B', label: 'roll its name back', run: () => ask('rollback') },
  ]);
  return (
    <>
      <button type="button" onClick={() => ask('rollback')} disabled={promotions.length === 0}>
        Roll back
      </button>
      <button type="button" className="primary" onClick={() => ask('promote')} disabled={model.is_promoted}>
        Promote
      </button>
      {asked !== undefined && <Ask detail={detail} change={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function Ask({ detail, change, onClose }: { detail: ModelDetail; change: Change; onClose: () => void }): ReactNode {
  const { model, promotions } = detail;
  const queries = useQueryClient();
  const { data } = useQuery(improvementsQuery(model.name));
  const [by, setBy] = useState(readAuthor);
  const [reason, setReason] = useState('');
  const last = promotions.at(-1);
  const ref = change === 'promote' ? `${model.name}@${model.version}` : model.name;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      requestJson<RegisteredPromotion>(`/models/${encodeURIComponent(ref)}/${change}`, {
        method: 'POST',
        body: { by, ...(reason === '' ? {} : { reason }) },
      }),
    onSuccess: async () => {
      writeAuthor(by);
      onClose();
      await Promise.all(['model', 'models'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
    },
  });
  const title = change === 'promote' ? `Promote ${ref}?` : `Roll ${model.name} back?`;
  const flags = ` --by ${quote(by)}${reason === '' ? '' : ` --reason ${quote(reason)}`}`;
  return (
    <Modal label={title} onClose={onClose}>
      <form
        className="stack ask"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <h2>{title}</h2>
        <p>
          {last === undefined
            ? `Nothing is served as ${model.name} yet. `
            : `${model.name} serves ${last.name}@${last.version} now. `}
          {change === 'promote'
            ? `Inference servers of ${model.name} take ${ref} within a second.`
            : 'It goes back to what it served before its last promotion; twice goes back by two.'}
        </p>
        {change === 'promote' && <GateList gates={listGates(model, data?.improvements ?? [])} />}
        <label className="field">
          <span>Why; it stays in the history</span>
          <input value={reason} onChange={({ target }) => setReason(target.value)} maxLength={2_000} autoFocus />
        </label>
        <label className="field">
          <span>Who</span>
          <input value={by} onChange={({ target }) => setBy(target.value)} maxLength={200} required />
        </label>
        <CommandLine command={`models ${change} ${ref}${flags}`} />
        {error !== null && <Refused error={error} />}
        <div className="actions">
          <button type="button" onClick={onClose}>
            Leave it
          </button>
          <button type="submit" className="primary" disabled={isPending || by === ''}>
            {change === 'promote' ? 'Promote' : 'Roll back'}
          </button>
        </div>
      </form>
    </Modal>
  );
}

/** As a shell takes it. */
const quote = (text: string): string =>
  /^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
