import type { Feedback, TrajectoryDetail } from '@lachesis/protocol';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import { writeMoment, writeValue } from '../parts/format.ts';
import { Empty, Loading, Partial, Refused } from '../parts/states.tsx';
import { readAuthor } from '../api/author.ts';
import { Reroll, type ReplyPlace } from '../rating/reroll.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { Facts } from './facts.tsx';
import { describeFeedback } from './describe-feedback.ts';
import { nameTrajectoryOutcome } from './lists/trajectory-row.ts';
import { Mounted } from './mounted.tsx';
import { feedbackQuery, turnsQuery } from './queries.ts';
import { showText } from './show-text.ts';
import { mountTranscript, type Transcript } from './transcript/mount-transcript.ts';
import { readEvents } from './transcript/read-events.ts';
import { TurnTokens } from './turn-tokens.tsx';
import './reading.css';

const VIEWS = ['turns', 'tokens', 're-roll', 'feedback'] as const;

/** One trajectory: what was said turn by turn, the tokens of a turn, and what was thought of it. */
export function TrajectoryPage(): ReactNode {
  const { trajectory = '' } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const query = useInfiniteQuery(turnsQuery(trajectory));
  const { hasNextPage, isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const feedback = useQuery(feedbackQuery(trajectory));
  const transcript = useRef<Transcript>(undefined);
  const view = VIEWS.find((each) => each === search['view']) ?? 'turns';
  const turn = search['turn'] === undefined ? undefined : Number(search['turn']);
  const newest = useRef(search);
  newest.current = search;
  const change = (next: Record<string, string | undefined>): void =>
    void navigate({
      to: '/trajectories/$trajectory',
      params: { trajectory },
      search: { ...newest.current, ...next },
      replace: true,
      resetScroll: false,
    });
  useKeys([
    { keys: '[', label: 'previous turn', run: () => transcript.current?.step('turn', -1) },
    { keys: ']', label: 'next turn', run: () => transcript.current?.step('turn', 1) },
    { keys: '{', label: 'previous fork or error', run: () => transcript.current?.step('mark', -1) },
    { keys: '}', label: 'next fork or error', run: () => transcript.current?.step('mark', 1) },
    { keys: 't', label: 'tokens on and off', run: () => change({ view: view === 'tokens' ? undefined : 'tokens' }) },
    // In the view itself both are its own.
    ...(view === 're-roll'
      ? []
      : [
          { keys: 'r', label: 're-roll this turn', run: () => change({ view: 're-roll' }) },
          { keys: 'Escape', label: 'back to the list', run: () => void navigate({ to: '/trajectories' }) },
        ]),
    {
      keys: 'l',
      label: 'lineage',
      run: () => void navigate({ to: '/lineage/$kind/$id', params: { kind: 'reply', id: trajectory } }),
    },
  ]);

  const data = query.data?.pages[0];
  const turns = useMemo(() => query.data?.pages.flatMap((page) => page.turns) ?? [], [query.data]);
  const events = useMemo(() => readEvents(turns), [turns]);
  const options = useMemo(
    () => ({
      events,
      source: trajectory,
      turn: newest.current['turn'] === undefined ? undefined : Number(newest.current['turn']),
      noteOf: (index: number) => noteTurn(feedback.data ?? [], index),
      onTurn: (next: number) => change({ turn: String(next) }),
    }),
    // The transcript itself moves; the address follows it.
    [events, trajectory, feedback.data],
  );

  return (
    <Page
      title={data === undefined ? 'Trajectory' : showText(data.summary.title) || 'Trajectory'}
      command={`trajectories show ${trajectory}`}
      actions={
        <Link className="button" to="/rate" search={{ trajectory }}>
          Rate
        </Link>
      }
    >
      {query.isPending && <Loading rows={10} />}
      {query.isError && <Refused error={query.error} onRetry={() => void query.refetch()} />}
      {data !== undefined && (
        <>
          <Summary detail={data} />
          <Tabs
            label="Parts of this trajectory"
            name="view"
            open={view}
            views={VIEWS.map((each) => [
              each,
              each === 'feedback' && feedback.data !== undefined ? `${each} ${feedback.data.length}` : each,
            ])}
          />
          {view === 'turns' &&
            (events.length === 0 ? (
              <Empty title="No turn of it was recorded." />
            ) : (
              <Mounted mount={mountTranscript} options={options} handle={transcript} className="tall" />
            ))}
          {view === 'tokens' && (
            <TurnTokens
              trajectory={trajectory}
              turns={turns}
              turn={turn}
              onTurn={(next) => change({ turn: String(next) })}
            />
          )}
          {view === 're-roll' && (
            <Reroll
              summary={data.summary}
              turns={turns}
              turn={turn}
              against={readPlace(search['against'])}
              author={readAuthor()}
              onTurn={(next) => change({ turn: String(next), against: undefined })}
              onAgainst={(reply) => change({ against: reply && `${reply.trajectory}.${reply.turn}` })}
              onClose={() => change({ view: undefined })}
            />
          )}
          {view === 'feedback' && <FeedbackList feedback={feedback.data ?? []} />}
        </>
      )}
    </Page>
  );
}

function Summary({ detail: { summary, turns, gaps } }: { detail: TrajectoryDetail }): ReactNode {
  const metadata = turns.find((turn) => Object.keys(turn.metadata ?? {}).length > 0)?.metadata;
  const outcome = nameTrajectoryOutcome(summary);
  return (
    <>
      <Facts
        facts={[
          ['outcome', `${outcome.shape} ${outcome.word}`],
          ['reward', summary.reward],
          ['rating', summary.rating],
          ['turns', summary.turn_count],
          ['tool calls', summary.tool_call_count],
          ['errors', summary.error_count],
          ['tokens', summary.token_count],
          ['cost', summary.cost === null ? null : `$${summary.cost.toFixed(4)}`],
          ['model', summary.model],
          ['source', summary.source],
          ['user', summary.user === null ? null : showText(summary.user)],
          ['tags', summary.tags.length === 0 ? null : showText(summary.tags.join(', '))],
          ['consent', summary.consent],
          [
            'run',
            summary.run_id === null ? null : (
              <Link to="/runs/$run" params={{ run: summary.run_id }}>
                {summary.run_id}
              </Link>
            ),
          ],
        ]}
      />
      {metadata !== undefined && metadata !== null && (
        <details>
          <summary>Metadata</summary>
          <Facts
            facts={Object.entries(metadata).map(([name, value]) => [showText(name), showText(writeValue(value))])}
          />
        </details>
      )}
      {gaps.length > 0 && (
        <Partial>
          {gaps.length === 1 ? 'Records of one stretch' : `Records of ${gaps.length} stretches`} never came:{' '}
          {gaps
            .slice(0, 5)
            .map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`))
            .join(', ')}
          .
        </Partial>
      )}
    </>
  );
}

function FeedbackList({ feedback }: { feedback: readonly Feedback[] }): ReactNode {
  if (feedback.length === 0) return <Empty title="Nobody has said anything about it yet." command="rate" />;
  return (
    <ul className="feedback">
      {feedback.map((each) => (
        <li key={each.feedback_id}>
          <span>{describeFeedback(each.feedback)}</span>
          <span className="soft">
            {showText(each.feedback.author)} · {each.feedback.author_kind} · {writeMoment(each.created_at)}
            {each.revises === null ? '' : ' · revised'}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** As the address has it: the trajectory, a point, the turn. */
function readPlace(text: string | undefined): ReplyPlace | undefined {
  const [, trajectory, turn] = /^(.+)\.(\d+)$/.exec(text ?? '') ?? [];
  return trajectory === undefined ? undefined : { trajectory, turn: Number(turn) };
}

function noteTurn(feedback: readonly Feedback[], turn: number): string | undefined {
  const said = feedback.filter((each) => each.feedback.turn_index === turn);
  if (said.length === 0) return undefined;
  return said.map((each) => `${showText(each.feedback.author)}: ${describeFeedback(each.feedback)}`).join(' · ');
}
