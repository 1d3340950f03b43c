// Texts whose contrast with what lies behind them is below 4.5.
(() => {
  const part = v => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const rgb = s => (s.match(/[\d.]+/g) || []).map(v => v * (s.startsWith('color(') ? 255 : 1));
  const ground = e => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length && (c.length < 4 || c[3] > 0)) return c;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    if (!e.getClientRects().length || e.closest('noscript, script, .sr, .skip, .off, option')) continue;
    const svg = e instanceof SVGElement, style = getComputedStyle(e);
    const card = svg && e.closest('.node') && e.closest('.node').querySelector('.card');
    const back = card ? rgb(getComputedStyle(card).fill) : ground(svg ? e.closest('div, section, aside') : e);
    const [a, b] = [light(rgb(svg ? style.fill : style.color)), light(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push([e.textContent.slice(0, 30), ratio]);
  }
  return bad;
})();
