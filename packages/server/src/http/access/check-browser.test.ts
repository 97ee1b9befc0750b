import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { checkBrowser, LOOPBACK_HOSTS, type BrowserRules } from './check-browser.ts';

const rules: BrowserRules = {
  allowedHosts: new Set([...LOOPBACK_HOSTS, 'train.example', '10.0.0.7']),
  allowedOrigins: new Set(['https://dashboard.example', 'http://localhost:3000']),
};

const from = (headers: Record<string, string>): IncomingHttpHeaders => ({ host: 'localhost:8000', ...headers });
const check = (headers: IncomingHttpHeaders) => () => checkBrowser(headers, rules);

describe('a call that no foreign web page could have made', () => {
  it.each<[string, IncomingHttpHeaders]>([
    ['to localhost', { host: 'localhost' }],
    ['to localhost with a port', { host: 'localhost:8000' }],
    ['to localhost in capitals', { host: 'LocalHost:8000' }],
    ['to 127.0.0.1', { host: '127.0.0.1' }],
    ['to 127.0.0.1 with a port', { host: '127.0.0.1:8000' }],
    ['to ::1', { host: '[::1]' }],
    ['to ::1 with a port', { host: '[::1]:8000' }],
    ['to a name that was allowed', { host: 'train.example:80' }],
    ['to an address that was allowed', { host: '10.0.0.7:8000' }],
    ['from an origin that was allowed', from({ origin: 'https://dashboard.example' })],
    [
      'from an allowed origin on another site',
      from({ origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' }),
    ],
    ['from a page of ours', from({ 'sec-fetch-site': 'same-origin' })],
    ['typed into the address bar', from({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })],
    ['with other fetch metadata only', from({ 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' })],
    ['with a referer', from({ referer: 'https://evil.example/' })],
  ])('passes: %s', (_, headers) => {
    expect(check(headers)).not.toThrow();
  });
});

describe('a call that a web page could have made', () => {
  it.each<[string, IncomingHttpHeaders]>([
    ['no Host at all', {}],
    ['an empty Host', { host: '' }],
    ['a rebound name', { host: 'evil.example' }],
    ['a rebound name with our port', { host: 'evil.example:8000' }],
    ['a name that ends like ours', { host: 'evil-localhost' }],
    ['a name that starts like ours', { host: 'localhost.evil.example' }],
    ['a name with a trailing dot', { host: 'localhost.' }],
    ['credentials before the name', { host: 'localhost@evil.example' }],
    ['our name as credentials', { host: 'evil.example@localhost' }],
    ['a path behind the name', { host: 'localhost/evil' }],
    ['two names', { host: 'localhost evil.example' }],
    ['a port that is no number', { host: 'localhost:http' }],
    ['a port without end', { host: 'localhost:800000' }],
    ['an empty port', { host: 'localhost:' }],
    ['an IPv6 address without brackets', { host: '::1' }],
    ['another loopback address', { host: '127.0.0.2' }],
    ['the unspecified address', { host: '0.0.0.0:8000' }],
    ['a decimal address', { host: '2130706433' }],
    ['an address mapped into IPv6', { host: '[::ffff:127.0.0.1]' }],
    ['a foreign origin', from({ origin: 'https://evil.example' })],
    ['the null origin of a sandboxed frame', from({ origin: 'null' })],
    ['an empty origin', from({ origin: '' })],
    ['an allowed origin with another scheme', from({ origin: 'http://dashboard.example' })],
    ['an allowed origin with another port', from({ origin: 'https://dashboard.example:8443' })],
    ['an allowed origin with a path', from({ origin: 'https://dashboard.example/' })],
    ['an origin that ends like an allowed one', from({ origin: 'https://evil-dashboard.example' })],
    ['our own address as origin, unless it was allowed', from({ origin: 'http://localhost:8000' })],
    ['another site without an origin', from({ 'sec-fetch-site': 'cross-site' })],
    ['the same site, another origin', from({ 'sec-fetch-site': 'same-site' })],
    ['a value of fetch metadata that is not known', from({ 'sec-fetch-site': 'nowhere' })],
    ['an image of another site', from({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })],
  ])('is refused: %s', (_, headers) => {
    expect(check(headers)).toThrow(expect.objectContaining({ code: 'forbidden', hint: expect.any(String) }));
  });
});

describe('the page of a server that has one', () => {
  const own: BrowserRules = { ...rules, hasPage: true };
  const fromPage = (headers: Record<string, string>): IncomingHttpHeaders =>
    from({ origin: 'http://localhost:8000', 'sec-fetch-site': 'same-origin', ...headers });

  it.each<[string, IncomingHttpHeaders]>([
    ['at a name', fromPage({})],
    ['at an address', fromPage({ host: '127.0.0.1:8000', origin: 'http://127.0.0.1:8000' })],
    ['at ::1', fromPage({ host: '[::1]:8000', origin: 'http://[::1]:8000' })],
    ['at the port that a browser leaves out', fromPage({ host: 'train.example', origin: 'http://train.example' })],
  ])('may call: %s', (_, headers) => {
    expect(() => checkBrowser(headers, own)).not.toThrow();
    expect(check(headers)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });

  it.each<[string, IncomingHttpHeaders]>([
    ['without fetch metadata', from({ origin: 'http://localhost:8000' })],
    ['of another site', fromPage({ 'sec-fetch-site': 'cross-site' })],
    ['of another port', fromPage({ 'sec-fetch-site': 'same-site' })],
    ['typed, with an origin', fromPage({ 'sec-fetch-site': 'none' })],
    ['another port that says it is ours', fromPage({ origin: 'http://localhost:9000' })],
    ['another scheme', fromPage({ origin: 'https://localhost:8000' })],
    ['another name of this machine', fromPage({ origin: 'http://127.0.0.1:8000' })],
    ['a rebound name', fromPage({ host: 'evil.example:8000', origin: 'http://evil.example:8000' })],
    ['a sandboxed frame', fromPage({ origin: 'null' })],
    ['a path behind it', fromPage({ origin: 'http://localhost:8000/' })],
  ])('is refused: %s', (_, headers) => {
    expect(() => checkBrowser(headers, own)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});
