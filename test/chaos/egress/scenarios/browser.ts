import { createBrowserTools } from '@lachesis/sdk/agent';
import { createEgressRule } from '@lachesis/sdk/egress';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { findChromium } from '../../../kit/find-chromium.ts';
import { openBrowser } from '../../../e2e/thumbs/open-browser.ts';

const BAR = 'the allowed page is read; 0 packets elsewhere';
const WAYS_MS = 20_000;

interface Canary {
  readonly port: number;
  readonly came: string[];
}

/** A page that tries every way out of a browser that needs no click, and says in its title when it has tried them. */
const writePage = ({
  web,
  udp,
  hosts,
}: {
  web: number;
  udp: number;
  hosts: readonly string[];
}): string => `<title>trying</title>
<link rel="dns-prefetch" href="//localhost"><link rel="preconnect" href="http://127.0.0.1:${web}">
<img src="http://127.0.0.1:${web}/image"><iframe src="http://127.0.0.1:${web}/frame"></iframe>
<script>
const quiet = (work) => Promise.race([Promise.resolve().then(work), new Promise((done) => setTimeout(done, 4000))]).catch(() => {});
const hosts = ${JSON.stringify(hosts)};
const ways = [
  ...hosts.map((host) => () => fetch('http://' + host + ':${web}/fetch', { mode: 'no-cors' })),
  () => fetch('/redirect'),
  () => new Promise((done) => { const s = new WebSocket('ws://127.0.0.1:${web}/socket'); s.onclose = s.onopen = done; }),
  () => navigator.sendBeacon('http://127.0.0.1:${web}/beacon', 'x'),
  () => new Promise((done) => { const e = new EventSource('http://127.0.0.1:${web}/events'); e.onerror = done; }),
  () => import('http://127.0.0.1:${web}/module.js'),
  async () => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: ['stun:127.0.0.1:${udp}', 'turn:127.0.0.1:${udp}'], username: 'a', credential: 'b' }] });
    peer.createDataChannel('x');
    await peer.setLocalDescription(await peer.createOffer());
    await new Promise((done) => setTimeout(done, 3000));
  },
  () => new WebTransport('https://127.0.0.1:${udp}/').ready,
];
Promise.all(ways.map(quiet)).then(() => { document.title = 'tried ' + ways.length; });
</script><p>a page that is allowed</p>`;

export const browserScenario: Scenario = {
  name: 'browser',
  title: 'A page in the browser of a rollout reaches nothing but through the proxy.',
  async run(context) {
    const chromium = findChromium();
    if (chromium === undefined) {
      const why = 'there is no chromium here: apt-get install chromium';
      context.reportNotRun({ name: 'the browser cannot go round the proxy', why, bar: BAR });
      return;
    }
    const web = await openWebCanary(context);
    const udp = await openUdpCanary(context);
    const hosts = ['127.0.0.1', 'localhost', '127.1', '[::1]', '0.0.0.0', '2130706433'];
    const server = createServer((request, reply) => {
      if (request.url === '/redirect')
        return void reply.writeHead(302, { location: `http://127.0.0.1:${web.port}/` }).end();
      return void reply
        .writeHead(200, { 'content-type': 'text/html' })
        .end(writePage({ web: web.port, udp: udp.port, hosts }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    context.defer(() => void server.close());
    const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { tools, close } = createBrowserTools({ rule: createEgressRule({ allow: place }), allow: ['*', place] });
    context.defer(close);
    const use = async (name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
      const tool = tools.find((each) => each.name === name);
      return (await tool?.execute(args, { signal: AbortSignal.timeout(100_000), callId: name })) as Record<
        string,
        unknown
      >;
    };
    let { title, snapshot } = await use('browser_navigate', { url: `http://${place}/` });
    for (
      const until = Date.now() + WAYS_MS;
      !String(title).startsWith('tried') && Date.now() < until;
      await sleep(200)
    ) {
      ({ title, snapshot } = await use('browser_snapshot', {}));
    }
    const isRead = String(snapshot).includes('a page that is allowed');
    const came = [...web.came, ...udp.came];
    context.report({
      name: 'the browser cannot go round the proxy',
      figure: `page ${isRead ? 'read' : 'not read'}, ${String(title)} ways, ${came.length} packets elsewhere${came.length === 0 ? '' : ` (${came[0]})`}`,
      bar: BAR,
      ok: isRead && String(title).startsWith('tried') && came.length === 0,
    });
    // The same page where nothing is in the way: a page that tries nothing would show nothing above.
    const open = await openBrowser({ chromium, folder: await context.scratch() });
    context.defer(async () => open[Symbol.asyncDispose]());
    await open.goTo(`http://${place}/`);
    for (const until = Date.now() + WAYS_MS; udp.came.length === 0 && Date.now() < until; await sleep(200));
    context.report({
      name: 'fault: a browser without the proxy',
      figure: `${web.came.length} requests and ${udp.came.length} packets elsewhere`,
      bar: 'caught: ≥ 1 of each',
      ok: web.came.length > 0 && udp.came.length > 0,
    });
  },
};

/** Who comes here came round the proxy, or through it against the rule. */
async function openWebCanary(context: ScenarioContext): Promise<Canary> {
  const came: string[] = [];
  const server = createServer((request, reply) => {
    came.push(request.url ?? '');
    reply.end('secret');
  });
  server.on('connection', () => came.push('a connection'));
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  context.defer(() => void server.close());
  return { port: (server.address() as AddressInfo).port, came };
}

async function openUdpCanary(context: ScenarioContext): Promise<Canary> {
  const came: string[] = [];
  const socket = createSocket('udp4').on('message', () => came.push('a packet'));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  context.defer(() => void socket.close());
  return { port: socket.address().port, came };
}
