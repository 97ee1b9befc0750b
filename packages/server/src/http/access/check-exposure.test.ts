import { describe, expect, it } from 'vitest';
import { findExposure, isLoopback } from './check-exposure.ts';

describe('an address', () => {
  it.each(['localhost', '127.0.0.1', '127.8.9.10', '::1'])('%s is reached from this machine only', (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(findExposure(host, 0)).toBeNull();
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', '192.168.1.2', '128.0.0.1', 'fe80::1', 'example.org', 'localhost.example', ''])(
    '%j needs a token',
    (host) => {
      expect(isLoopback(host)).toBe(false);
      expect(findExposure(host, 0)).toMatch(/lachesis token create/);
      expect(findExposure(host, 1)).toBeNull();
    },
  );
});
