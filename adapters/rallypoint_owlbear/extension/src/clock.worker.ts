/** Counts time for the page: a browser slows the timers of tabs that nobody looks at down to one a minute, but not these. */

self.onmessage = ({ data }: MessageEvent<{ id: number; ms: number }>) => {
  setTimeout(() => self.postMessage(data.id), data.ms);
};
