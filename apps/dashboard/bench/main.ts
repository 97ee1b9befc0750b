/*
 * What `pnpm bench dashboard` measures: the parts that are hot, by themselves and with more than anybody has. Data is made
 * before the clock starts, as it is there when an answer has come.
 */
import '../design.css';
import '../src/parts/parts.css';
import '../src/reading/reading.css';
import { mountChart, type Chart } from '../src/parts/chart.ts';
import { diffWords } from '../src/reading/compare/diff-words.ts';
import { mountTurnDiff } from '../src/reading/compare/mount-turn-diff.ts';
import { makeGroupRow } from '../src/reading/groups/make-group-row.ts';
import { mountGroupStrip } from '../src/reading/groups/mount-group-strip.ts';
import { makeRewardScale } from '../src/reading/groups/shade-reward.ts';
import { mountPickList } from '../src/reading/lists/mount-pick-list.ts';
import { makeTrajectoryRow } from '../src/reading/lists/trajectory-row.ts';
import { mountTokenView, type TokenView } from '../src/reading/tokens/mount-token-view.ts';
import { mountTranscript } from '../src/reading/transcript/mount-transcript.ts';
import { readEvents } from '../src/reading/transcript/read-events.ts';
import { makeCells, makeCurve, makeTokens } from './make-data.ts';
import { makeMessages, makeSummary, makeTurns } from './make-library.ts';

const place = document.querySelector('#place') as HTMLElement;
let mounted: { destroy(): void } | undefined;

function clear(className: string): HTMLElement {
  mounted?.destroy();
  const element = document.createElement('div');
  element.className = className;
  place.replaceChildren(element);
  return element;
}

const parts = {
  prepareTokens: (count: number) => void (tokens = makeTokens(count)),
  openTokens() {
    view = mountTokenView(clear(''), { tokens });
    mounted = view;
  },
  colourTokens: (by: Parameters<TokenView['setColour']>[0]) => view?.setColour(by),
  prepareTranscript: (count: number) => void (turns = makeTurns(count)),
  openTranscript() {
    mounted = mountTranscript(clear('tall'), { events: readEvents(turns) });
  },
  openList(count: number) {
    mounted = mountPickList(clear('tall'), {
      ...{ count, height: 36, label: 'Trajectories', onOpen: () => undefined },
      render: (index) => makeTrajectoryRow(makeSummary(index), []),
    });
  },
  prepareChart: (count: number) => void (curve = makeCurve(count)),
  openChart() {
    chart = mountChart(clear('chart'), curve, { cursor: 'bench' });
    mounted = chart;
  },
  updateChart: () => chart?.update(curve),
  openStrips(groups: number, rollouts: number) {
    const scale = makeRewardScale(0, 1);
    mounted = mountPickList(clear('tall'), {
      ...{ count: groups, height: () => 72, label: 'Groups', onOpen: () => undefined },
      render: (index) => {
        const cells = makeCells(index, rollouts);
        const row = makeGroupRow({ index, item: `order ${index}`, environment: 'toy' }, cells, false);
        mountGroupStrip(row, { cells, scale, longest: 8_192 });
        return row;
      },
    });
  },
  openDiff(count: number) {
    mounted = mountTurnDiff(clear('tall'), { left: makeMessages(count, 0), right: makeMessages(count, 1) });
  },
  diffUnrelated(words: number) {
    const text = (word: string): string => Array.from({ length: words }, (_, index) => `${word}${index}`).join(' ');
    return diffWords(text('a'), text('b')).isCutShort;
  },
};

let tokens = makeTokens(0);
let turns = makeTurns(0);
let curve = makeCurve(0);
let chart: Chart | undefined;
let view: TokenView | undefined;

Object.assign(window, { parts });
