import './runs.css';
import type { ConfigEditReply, ControlConfig, EnvironmentSelection, RunSettings, RunStart } from '@lachesis/protocol';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { configQuery, environmentsQuery, settingsQuery } from '../api/queries.ts';
import { requestJson } from '../api/request.ts';
import { Loading, Partial, Refused } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { useWords } from '../shell/use-search.ts';
import { ConfigForm } from './config-form.tsx';
import { planFork, sayNoFork } from './plan-fork.ts';
import { StartChecks } from './start-checks.tsx';

/** A run from the recipe of the server: environment, the fields that may be changed, what it may take, and the start. */
export function StartPage(): ReactNode {
  const [words, setWords] = useWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const environments = useQuery(environmentsQuery());
  const config = useQuery(configQuery());
  const key = useRef(crypto.randomUUID());
  const from = words['from'];

  const select = useMutation({
    mutationFn: (name: string) =>
      requestJson<EnvironmentSelection>(`/environments/${encodeURIComponent(name)}/select`, {
        method: 'POST',
        body: {},
      }),
    onSuccess: async (selection) => {
      queries.setQueryData<ControlConfig>(['config'], selection.config);
      setWords({ environment: selection.environment });
      await queries.invalidateQueries({ queryKey: ['config', 'estimate'] });
    },
  });
  // An address that names an environment selects it, so that it shows the same wherever it is opened.
  const wanted = words['environment'];
  const selected = config.data?.environment;
  const isKnown = environments.data?.some(({ name }) => name === wanted) === true;
  const noFork =
    from === undefined || environments.data === undefined
      ? undefined
      : sayNoFork({ run: from, environment: wanted, known: environments.data.map(({ name }) => name) });
  const { mutate } = select;
  useEffect(() => {
    if (wanted !== undefined && selected !== undefined && wanted !== selected && isKnown) mutate(wanted);
  }, [wanted, selected, isKnown, mutate]);

  const start = useMutation({
    mutationFn: () =>
      requestJson<RunStart>('/runs', {
        method: 'POST',
        body: { idempotency_key: key.current, ...(from === undefined ? {} : { fork_of: from }) },
      }),
    onSuccess: ({ run_id }) => void navigate({ to: '/runs/$run', params: { run: run_id } }),
  });
  useKeys([{ keys: 'S', label: 'start the run', run: () => start.mutate() }]);

  const command = [
    'runs start',
    ...(selected === null || selected === undefined ? [] : [`--environment ${selected}`]),
    ...listChanges(config.data).map((change) => `--set ${change}`),
    ...(from === undefined ? [] : [`--fork-of ${from}`]),
  ].join(' ');

  return (
    <Page
      title="Start a run"
      command={command}
      actions={
        <button
          type="button"
          className="primary"
          disabled={start.isPending || selected === null || selected === undefined}
          onClick={() => start.mutate()}
        >
          {start.isPending ? 'Starting' : 'Start'}
        </button>
      }
    >
      {start.error !== null && <Refused error={start.error} />}
      {noFork !== undefined && <Partial>{noFork}</Partial>}
      {from !== undefined && config.data !== undefined && selected === wanted && (
        <ForkNote key={from} run={from} config={config.data} />
      )}
      <div className="start">
        <div className="stack">
          <section className="stack">
            <h2>Environment</h2>
            {environments.error !== null && <Refused error={environments.error} />}
            {environments.data === undefined && environments.error === null && <Loading rows={3} />}
            {environments.data !== undefined && (
              <label className="field">
                <span className="soft">What the model is trained in</span>
                <select
                  value={selected ?? ''}
                  onChange={({ target }) => target.value !== '' && select.mutate(target.value)}
                >
                  <option value="">choose one</option>
                  {environments.data.map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
            )}
            <p className="soft">{environments.data?.find(({ name }) => name === selected)?.description}</p>
            {select.error !== null && <Refused error={select.error} />}
          </section>
          {config.data !== undefined && (
            // Choosing an environment begins the form anew: what is typed meanwhile would be lost.
            <fieldset className="stack bare" disabled={select.isPending}>
              <ConfigForm config={config.data} />
            </fieldset>
          )}
          {config.error !== null && config.data === undefined && <Refused error={config.error} />}
        </div>
        <StartChecks environment={selected ?? undefined} />
      </div>
    </Page>
  );
}

/** Fields that are not as the recipe has them, as `--set` takes them. */
function listChanges(config: ControlConfig | undefined): string[] {
  return (config?.configurable_fields ?? []).flatMap(({ name, current_value, default: usual }) => {
    const text = typeof current_value === 'string' ? current_value : JSON.stringify(current_value);
    return JSON.stringify(current_value) === JSON.stringify(usual) ? [] : [`${name}=${text}`];
  });
}

/** Fills the form with the settings of the run it is a fork of, once, and says what came of it. */
function ForkNote({ run, config }: { run: string; config: ControlConfig }): ReactNode {
  const queries = useQueryClient();
  const { data, isError } = useQuery({ ...settingsQuery(run), retry: false });
  const { mutate, error, isIdle, isSuccess } = useMutation({
    mutationFn: async (settings: RunSettings) => {
      for (const body of planFork(config, settings)) {
        const edited = await requestJson<ConfigEditReply>('/config', { method: 'POST', body });
        queries.setQueryData<ControlConfig>(['config'], edited.config);
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['config', 'estimate'] }),
  });
  useEffect(() => {
    if (data !== undefined && isIdle) mutate(data);
  }, [data, isIdle, mutate]);
  if (isError) return <Partial>The settings of run {run} could not be read; these are those of the recipe.</Partial>;
  if (error !== null) return <Refused error={error} />;
  return isSuccess ? <p className="note">A fork of run {run}: the form has its settings.</p> : null;
}
