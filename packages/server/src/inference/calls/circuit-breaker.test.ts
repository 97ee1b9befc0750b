import { describe, expect, it } from 'vitest';
import { CircuitBreaker } from './circuit-breaker.ts';

function kit() {
  let now = 0;
  const breaker = new CircuitBreaker({ name: 'the engine', monotonic: () => now, failures: 3 });
  return {
    breaker,
    pass: (ms: number) => void (now += ms),
    fail: (times: number) => {
      for (let count = 0; count < times; count++) breaker.enter().failed('HTTP 500');
    },
  };
}

describe('a circuit breaker', () => {
  it('opens after failures in a row, and says why and for how long', () => {
    const { breaker, fail } = kit();
    fail(2);
    breaker.enter().succeeded();
    fail(2);
    expect(breaker.state).toBe('closed');
    fail(1);
    expect(breaker.state).toBe('open');
    expect(() => breaker.enter()).toThrow('the engine does not answer (HTTP 500)');
  });

  it('lets one call try after the pause, and closes when it succeeds', () => {
    const { breaker, fail, pass } = kit();
    fail(3);
    pass(1_000);
    expect(breaker.state).toBe('half-open');
    const attempt = breaker.enter();
    expect(() => breaker.enter()).toThrow('the engine does not answer');
    attempt.succeeded();
    expect(breaker.state).toBe('closed');
  });

  it('waits twice as long after each failed try', () => {
    const { breaker, fail, pass } = kit();
    fail(3);
    pass(1_000);
    breaker.enter().failed('again');
    pass(1_999);
    expect(breaker.state).toBe('open');
    pass(1);
    breaker.enter().failed('again');
    pass(3_999);
    expect(breaker.state).toBe('open');
  });

  it('gives the try to the next caller when the first one left', () => {
    const { breaker, fail, pass } = kit();
    fail(3);
    pass(1_000);
    breaker.enter().abandoned();
    breaker.enter().succeeded();
    expect(breaker.state).toBe('closed');
  });

  it('is not opened again by calls that were under way', () => {
    const { breaker, pass } = kit();
    const calls = Array.from({ length: 6 }, () => breaker.enter());
    for (const call of calls) call.failed('HTTP 500');
    pass(1_000);
    expect(breaker.state).toBe('half-open');
  });

  it('hears of trouble beside its calls', () => {
    const { breaker } = kit();
    for (let count = 0; count < 3; count++) breaker.noteFailure('no answer to asample');
    expect(breaker.state).toBe('open');
    breaker.noteSuccess();
    expect(breaker.state).toBe('closed');
  });
});
