import type { createEgressRule } from '@lachesis/sdk/egress';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

type EgressRule = ReturnType<typeof createEgressRule>;

/** What a proxy can get wrong that looks right. */
export type Fault = 'resolves twice' | 'does not normalise' | 'forwards duplicates' | 'believes the host header';

interface FaultyRuleOptions {
  rule: EgressRule;
  lookup: (host: string) => Promise<{ address: string }[]>;
  fault: Fault | undefined;
}

/** The rule, or one with its fault. */
export function createFaultyRule({ rule, lookup, fault }: FaultyRuleOptions): EgressRule {
  if (fault === 'resolves twice') {
    return {
      read: (address) => rule.read(address),
      async resolve(given, signal) {
        const target = await rule.resolve(given, signal);
        // As `connect` does with a name: what was looked at is not what is taken.
        const [again] = await lookup(target.url.hostname);
        return { ...target, address: again?.address ?? target.address };
      },
    };
  }
  if (fault === 'does not normalise') {
    const read = (given: string | URL): URL => {
      // The address as it was written, beside a list of what is private.
      const text = String(given);
      if (/^\w+:\/\/(?:127\.0|10\.|192\.168\.|169\.254\.|172\.16\.|localhost\b|\[::1\])/.test(text))
        rule.read('http://127.0.0.1');
      return new URL(text);
    };
    return {
      read,
      async resolve(given) {
        const url = new URL(String(given));
        const host = url.hostname.replace(/^\[|\]$/g, '');
        const [found] = await lookup(host);
        return { url, address: found?.address ?? host, family: host.includes(':') ? 6 : 4 };
      },
    };
  }
  return rule;
}

interface NaiveProxyOptions {
  rule: EgressRule;
  dial: (place: { host: string; port: number }) => Socket;
  fault: Fault | undefined;
}

/** A proxy of thirty lines as one finds them: it looks at the first line and passes the bytes on as they came. */
export async function startNaiveProxy(options: NaiveProxyOptions): Promise<{ url: URL; server: Server } | undefined> {
  const { rule, dial, fault } = options;
  if (fault !== 'forwards duplicates' && fault !== 'believes the host header') return undefined;
  const server = createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', (bytes) => {
      const text = bytes.toString('latin1');
      const [, method = '', target = '', rest = ''] = /^(\S+) (\S+) ([^]*)$/.exec(text) ?? [];
      const host = /^host: *(\S+)/im.exec(text)?.[1];
      const first = method === 'CONNECT' ? `https://${target}/` : target;
      const isByHost = fault === 'believes the host header' && host !== undefined && method !== 'CONNECT';
      void rule.resolve(first).then(
        ({ url, address }) => {
          const wanted = isByHost ? new URL(`http://${host}/`).hostname : address;
          const upstream = dial({ host: wanted, port: 80 });
          upstream.on('error', () => client.destroy());
          if (method !== 'CONNECT') upstream.write(`${method} ${url.pathname}${url.search} ${rest}`, 'latin1');
          upstream.pipe(client);
          client.pipe(upstream);
        },
        () => client.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: new URL(`http://a:b@127.0.0.1:${(server.address() as AddressInfo).port}`), server };
}
