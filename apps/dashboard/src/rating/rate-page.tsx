import type { FeedbackAgreement, TrajectoryDetail } from '@lachesis/protocol';
import { lastReply } from '@lachesis/protocol/conversation';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { readAuthor, writeAuthor } from '../api/author.ts';
import { requestJson } from '../api/request.ts';
import { Mark } from '../parts/mark.tsx';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { Mounted } from '../reading/mounted.tsx';
import { showText } from '../reading/show-text.ts';
import { mountTranscript } from '../reading/transcript/mount-transcript.ts';
import { readEvents } from '../reading/transcript/read-events.ts';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import type { RateItem } from './create-rating.ts';
import { listRateKeys, RATING_MODES, type RateAction } from './rate-keys.ts';
import { Reroll, type ReplyPlace } from './reroll.tsx';
import { useRating } from './use-rating.ts';
import { WhatItTrains } from './what-it-trains.tsx';
import '../reading/reading.css';
import './rating.css';

const KEY_SIGNS: Readonly<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→', ArrowDown: '↓' };

/** A queue, one key for each answer. The next ones are there already, and what was said is sent in the background. */
export function RatePage(): ReactNode {
  const search = useSearch({ strict: false });
  const mode = RATING_MODES.find((each) => each === search['mode']) ?? 'one';
  const [author, setAuthor] = useState(readAuthor);
  const { rating, outbox } = useRating(mode, author, search['trajectory']);
  const [writing, setWriting] = useState<'comment' | 'edit' | undefined>();
  const [isWhole, setWhole] = useState(false);
  /** Where in the queue somebody asked for another reply, and the one that came. */
  const [rerolling, setRerolling] = useState<{ place: number; turn?: number; against?: ReplyPlace | undefined }>();

  const act = (action: RateAction): void => {
    if (action.kind === 'comment' || action.kind === 'edit') setWriting(action.kind);
    else if (action.kind === 'whole') setWhole(!isWhole);
    else if (action.kind === 'reroll') setRerolling({ place: rating?.place ?? 0 });
    else rating?.act(action);
  };
  const keys = listRateKeys(mode);
  useKeys(keys.map(({ keys: key, label, action }) => ({ keys: key, label, run: () => act(action) })));

  const item = rating?.item;
  const isRerolling = rerolling !== undefined && rerolling.place === rating?.place;
  return (
    <Page
      title="Rate"
      command={mode === 'pairs' ? 'rate --pairs' : 'rate'}
      beside={rating !== undefined && <Progress rated={rating.rated} waiting={outbox?.waiting ?? 0} />}
      actions={
        <label className="rate-author">
          <span className="soft">as</span>
          <input
            defaultValue={author}
            aria-label="Your name"
            maxLength={200}
            onBlur={({ target }) => {
              const name = target.value.trim() || 'me';
              writeAuthor(name);
              setAuthor(name);
            }}
          />
        </label>
      }
    >
      <nav className="tabs" aria-label="What is rated">
        {RATING_MODES.map((each) => (
          <Link
            key={each}
            to="/rate"
            search={{ mode: each === 'one' ? undefined : each }}
            aria-current={each === mode ? 'page' : undefined}
            activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          >
            {each === 'one' ? 'one by one' : each}
          </Link>
        ))}
      </nav>
      {outbox?.isAway === true && (
        <p className="note warn" role="status">
          <Mark shape="triangle" tone="warn" /> The server does not answer. {outbox.waiting} ratings wait here and are
          sent when it is back.
        </p>
      )}
      {outbox?.problem !== undefined && (
        <p className="note bad" role="alert">
          <Mark shape="cross" tone="bad" /> Not kept: {outbox.problem}
        </p>
      )}
      {rating?.error !== undefined && <Refused error={rating.error} />}
      {rating?.isEnded === true && (
        <Empty
          title={mode === 'pairs' ? 'No two replies to one task wait for a choice.' : 'Nothing waits for a rating.'}
          command="feedback list"
        >
          {rating.rated > 0
            ? `You rated ${rating.rated}. They count for the next improvement:`
            : 'What was said so far:'}
        </Empty>
      )}
      {item === undefined && rating?.isEnded !== true && rating?.error === undefined && <Loading rows={10} />}
      {item !== undefined && isRerolling && (
        <Reroll
          summary={item.details[0].summary}
          turns={item.details[0].turns}
          turn={rerolling.turn ?? rating?.turn}
          against={rerolling.against}
          author={author}
          onTurn={(turn) => setRerolling({ place: rerolling.place, turn })}
          onAgainst={(against) => setRerolling({ ...rerolling, against })}
          onClose={() => setRerolling(undefined)}
        />
      )}
      {item !== undefined && !isRerolling && (
        <>
          <ItemHead item={item} mark={rating?.mark} turn={rating?.turn} />
          <div className={`rate-sides sides-${item.details.length}`}>
            {item.details.map((detail, index) => (
              <section
                key={`${rating?.place} ${index}`}
                className="rate-side"
                aria-label={item.details.length === 1 ? 'Conversation' : index === 0 ? 'Left' : 'Right'}
              >
                <Conversation detail={detail} isWhole={isWhole || mode === 'steps'} turn={rating?.turn} />
              </section>
            ))}
          </div>
          {writing !== undefined && (
            <Writing
              key={`${writing} ${rating?.place}`}
              label={writing === 'edit' ? 'The reply as it should have been' : 'Comment'}
              text={writing === 'edit' ? lastReply(item.details[0]) : ''}
              onEnd={(text) => {
                if (text !== undefined && writing === 'edit') rating?.edit(text);
                else if (text !== undefined) rating?.comment(text);
                setWriting(undefined);
              }}
            />
          )}
          <div className="rate-keys" role="group" aria-label="Answers">
            {keys.map(({ keys: key, label, action }) => (
              <button key={key} type="button" onClick={() => act(action)}>
                <kbd>{KEY_SIGNS[key] ?? key}</kbd>{' '}
                <span className={action.kind === 'stars' ? 'visually-hidden' : undefined}>{label}</span>
                {action.kind === 'stars' && <span aria-hidden="true">★</span>}
              </button>
            ))}
          </div>
          <WhatItTrains summary={item.details[0].summary} mode={mode} />
        </>
      )}
      <Agreement />
    </Page>
  );
}

function Progress({ rated, waiting }: { rated: number; waiting: number }): ReactNode {
  return (
    <span className="soft" role="status">
      {rated} rated{waiting > 0 ? ` · ${waiting} on their way` : ' · all kept'}
    </span>
  );
}

function ItemHead({
  item,
  mark,
  turn,
}: {
  item: RateItem;
  mark: string | undefined;
  turn: number | undefined;
}): ReactNode {
  const { summary } = item.details[0];
  return (
    <div className="rate-head">
      <h2 className="cut">{showText(summary.title)}</h2>
      <span className="soft">
        {showText(summary.model ?? 'no model')} · {summary.turn_count} turns
      </span>
      {turn !== undefined && <span>judging turn {turn + 1}</span>}
      {mark !== undefined && <span className="event-note">{mark}</span>}
    </div>
  );
}

interface ConversationProps {
  detail: TrajectoryDetail;
  isWhole: boolean;
  turn: number | undefined;
}

/** The task and the last reply; with `v` everything in between. */
function Conversation({ detail, isWhole, turn }: ConversationProps): ReactNode {
  const options = useMemo(() => {
    const { turns } = detail;
    const last = turns.findLast(({ replies }) => replies.length > 0) ?? turns.at(-1);
    const [first] = turns;
    const shown =
      isWhole || turns.length <= 2 || first === undefined || last === undefined
        ? turns
        : [
            { ...first, replies: [], error: null },
            { ...last, parent_index: first.turn_index },
          ];
    return { events: readEvents(shown), turn };
  }, [detail, isWhole, turn]);
  return <Mounted mount={mountTranscript} options={options} className="rate-body" />;
}

function Writing({
  label,
  text,
  onEnd,
}: {
  label: string;
  text: string;
  onEnd: (text: string | undefined) => void;
}): ReactNode {
  const [written, setWritten] = useState(text);
  return (
    <form
      className="field"
      onSubmit={(event) => {
        event.preventDefault();
        onEnd(written);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onEnd(undefined);
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onEnd(written);
      }}
    >
      <label className="field">
        <span>{label}</span>
        <textarea autoFocus rows={4} value={written} onChange={({ target }) => setWritten(target.value)} />
      </label>
      <span className="filters">
        <button type="submit" className="primary" disabled={written.trim() === '' || written === text}>
          Keep <kbd>Ctrl ↵</kbd>
        </button>
        <button type="button" onClick={() => onEnd(undefined)}>
          Leave it <kbd>Esc</kbd>
        </button>
      </span>
    </form>
  );
}

const agreementQuery = queryOptions({
  queryKey: ['feedback', 'agreement'],
  queryFn: ({ signal }) => requestJson<FeedbackAgreement>('/v1/feedback/agreement', { signal }),
  refetchInterval: 10_000,
});

/** How far judges say what people say, as the server counts it. */
function Agreement(): ReactNode {
  const { data } = useQuery(agreementQuery);
  const rows = data?.agreement.filter(({ n }) => n > 0) ?? [];
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>Agreement with people</h2>
      <table className="agreement">
        <thead>
          <tr>
            <th scope="col">judge</th>
            <th scope="col" className="number">
              rated by both
            </th>
            <th scope="col" className="number">
              agree
            </th>
            <th scope="col" className="number">
              kappa
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ author, n, agreement, kappa }) => (
            <tr key={author}>
              <td>{showText(author)}</td>
              <td className="number">{n}</td>
              <td className="number">{agreement === null ? '–' : `${(agreement * 100).toFixed(0)} %`}</td>
              <td className="number">{kappa === null ? '–' : kappa.toFixed(2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
