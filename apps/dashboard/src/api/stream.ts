import { createEventParser } from '@lachesis/sdk';
import { RequestError, requestResponse } from './request.ts';

/** What a topic tells: its event, and the data of it. */
export type StreamListener = (event: string, data: unknown) => void;

interface Topic {
  /** Of the last event, to go on behind it. */
  at: number | string | undefined;
  listeners: Set<StreamListener>;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** A page that is opened asks for its topics one after the other: they share a connection. */
const GATHER_MS = 30;
/** The server says something every 15 seconds. */
const SILENT_MS = 35_000;

const topics = new Map<string, Topic>();
const watchers = new Set<(awaySince: number | undefined) => void>();
let awaySince: number | undefined;
let connection: AbortController | undefined;
let gathering: ReturnType<typeof setTimeout> | undefined;

/**
 * Follows a topic of the server until the function that it gives is called. All topics of the page share one connection;
 * one that breaks off is opened again, and each topic goes on behind what it told last.
 */
export function followTopic(topic: string, listener: StreamListener, from?: number | string): () => void {
  const known = topics.get(topic) ?? { at: from, listeners: new Set() };
  const isNew = !topics.has(topic);
  topics.set(topic, known);
  known.listeners.add(listener);
  if (isNew) gather();
  return () => {
    known.listeners.delete(listener);
    if (known.listeners.size > 0 || topics.get(topic) !== known) return;
    topics.delete(topic);
    gather();
  };
}

/** Calls back with the time since when the server is away; undefined while it is not. Gives the way to end that. */
export function watchStream(watcher: (awaySince: number | undefined) => void): () => void {
  watchers.add(watcher);
  watcher(awaySince);
  return () => void watchers.delete(watcher);
}

function gather(): void {
  clearTimeout(gathering);
  gathering = setTimeout(() => {
    connection?.abort();
    connection = new AbortController();
    if (topics.size > 0) void follow(connection.signal);
  }, GATHER_MS);
}

function tell(isOpen: boolean): void {
  const next = isOpen ? undefined : (awaySince ?? Date.now());
  if (next === awaySince) return;
  awaySince = next;
  for (const watcher of watchers) watcher(awaySince);
}

async function follow(signal: AbortSignal): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const silence = new AbortController();
    try {
      const both = AbortSignal.any([signal, silence.signal]);
      await read(
        both,
        () => silence.abort(),
        () => (pause = FIRST_PAUSE_MS),
      );
    } catch (error) {
      // A topic that was refused would be refused again; the page's own calls say why.
      if (error instanceof RequestError && error.status !== undefined && error.status < 429) return;
    }
    if (signal.aborted) return;
    tell(false);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function read(signal: AbortSignal, onSilent: () => void, onOpen: () => void): Promise<void> {
  const names = [...topics].map(([topic, { at }]) => (at === undefined ? topic : `${topic}@${at}`));
  const path = `/v1/stream?topics=${encodeURIComponent(names.join(','))}`;
  const response = await requestResponse(path, { signal, accept: 'text/event-stream' });
  tell(true);
  onOpen();
  const parser = createEventParser({ onEvent: ({ event, data }) => dispatch(event, data) });
  const reader = response.body?.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(onSilent, SILENT_MS);
      const piece = await reader?.read();
      if (piece?.value === undefined) return;
      parser.add(piece.value);
    }
  } finally {
    clearTimeout(timer);
  }
}

function dispatch(event: string, text: string): void {
  const data = JSON.parse(text) as { topic: string; at: number | null };
  const topic = topics.get(data.topic);
  if (topic === undefined) return;
  topic.at = data.at ?? topic.at;
  for (const listener of topic.listeners) listener(event, data);
}
