// The tree: which nodes are open, where they lie, and those of them that are in view.
const CW = 172, GAP = 84, PAD = 22;
let open = new Set(), sel = 0, colour = 'class', zoom = 1, row = null, onPath = null, hits = null, L = null, drawn = null;
const narrow = () => innerWidth <= 760;

function cardTitle(i, w, lines) {
  const s = split(i), p = (b, t) => [[b, 600], [t, 400]];
  if (isCut(s) && !s.cols) {
    const cut = sideText(i, 0).replace(' ', '\u00a0'), n = name(s.col);
    return wrap(p(n, cut), w, 1) || lines > 1 && wrap(p(n, cut), w, 2) || wrap(p(cutText(n, w - wide(' ' + cut), 12.5, 600), cut), w + 2, lines) || [[[cutText(n, w, 12.5, 600), 600]]];
  }
  if (s.k === 'multiway') return [[[cutText(name(s.col), w - 28, 12.5, 600), 600], [' is …', 400]]];
  if (s.k === 'linear') {
    const n = s.cols.length, l = n < 4 && wrap([[s.cols.map((c, j) => (s.w[j] < 0 ? '−\u00a0' : j ? '+\u00a0' : '') + name(c).replaceAll(' ', '\u00a0')).join(' '), 600]], w, lines);
    if (l && !l.some(q => q.some(x => x[0].endsWith('…')))) return l;
    // Of many columns: what parts on the two sides.
    const f = focal(i), sides = ' ' + kids(i).map(j => REG ? num(MEAN[j]) : pct(share(j, f))).join(' | ');
    return [[[cutText(REG ? 'mean' : CLASSES[f], w - wide(sides), 12.5, 600), 600], [sides, 400]], [[`by ${n} columns`, 400]]].slice(0, lines);
  }
  const v = names(i, s.named), n = name(s.col);
  for (let t = min(v.length, 6); t > 0; t--) {
    const l = wrap(p(n, 'is ' + (t === v.length ? list(v) : v.slice(0, t).join(', ') + ` +\u00a0${v.length - t}\u00a0more`)), w, lines);
    if (l) return l;
  }
  const few = v.length > 1 ? `is one of ${v.length}` : 'is ' + v[0], fits = min(wide(' ' + few), .55 * w);
  return wrap(p(n, few), w, 1) || [[[cutText(n, w - fits, 12.5, 600), 600], [' ' + cutText(few, .55 * w, 12.5), 400]]];
}
// Boxes of all open nodes in preorder; y from the leaves up, without recursion.
function layout() {
  const slim = narrow(), width = slim ? max(280, ROOT.clientWidth - 32) : 0, out = [], stack = [[0, -1]], index = new Map();
  while (stack.length) {
    const [i, up] = stack.pop(), d = depths[i], leaf = isLeaf(i), isOpen = !leaf && open.has(i), w = slim ? max(140, width - d * 13) : CW, head = slim && i ? 17 : 0;
    const title = isOpen ? cardTitle(i, w - 28 - (slim ? 38 : 0), 2) : null;
    index.set(i, out.length);
    out.push({ i, d, up, w, h: (isOpen ? 78 + title.length * 16 : 51) + head, head, isOpen, title, x: slim ? min(d * 13, width - 140) : d * (CW + GAP), y: 0, last: -1, first: -1 });
    if (isOpen) { const me = out.length - 1, c = kids(i); for (let j = c.length; j--;) stack.push([c[j], me]); }
  }
  let y = slim ? 4 : 12, W = 0;
  for (const b of out) {
    if (slim) { b.y = y; y += b.h + 10; } else if (!b.isOpen) { b.y = y; y += b.h + 13; }
    W = max(W, b.x + b.w + (isLeaf(b.i) ? 0 : 30));
  }
  for (let j = out.length - 1; j >= 0; j--) {
    const b = out[j], up = out[b.up];
    if (!slim && b.isOpen) { const m = (out[b.first].y + out[b.first].h / 2 + out[b.last].y + out[b.last].h / 2) / 2; b.y = m - b.h / 2; }
    if (up) { up.first = j; if (up.last < 0) up.last = j; }
  }
  if (!slim && out[0].y < 4) { const s = 4 - out[0].y; for (const b of out) b.y += s; y += s; }
  if (!slim) y = max(y, out[0].y + out[0].h + 20);
  return { out, index, W: slim ? width : W, H: y + 8, slim };
}
const faded = i => onPath ? !onPath.has(i) : hits && hits.size ? !hits.has(i) : false;
function drawTree(focus) { L = layout(); drawn = null; paint(focus); }
// Draws what is in view, with as much again around it.
function paint(focus) {
  const { out, slim } = L, z = slim ? 1 : zoom, box = $('tree'), sc = $('scroll'), pad = slim ? 16 : PAD;
  const view = slim ? [-1e9, max(0, scrollY - box.offsetTop), 1e9, scrollY - box.offsetTop + innerHeight] : [sc.scrollLeft / z - pad, sc.scrollTop / z, (sc.scrollLeft + sc.clientWidth) / z - pad, (sc.scrollTop + sc.clientHeight) / z];
  if (drawn && !focus && view[0] >= drawn[0] && view[1] >= drawn[1] && view[2] <= drawn[2] && view[3] <= drawn[3]) return;
  const mx = view[2] - view[0], my = view[3] - view[1], all = out.length < 400;
  drawn = all ? [-1e9, -1e9, 1e9, 1e9] : [view[0] - mx, view[1] - my, view[2] + mx, view[3] + my];
  box.style.width = (L.W + 2 * pad) * z + 'px';
  box.style.height = L.H * z + 'px';
  const x0 = all ? -pad : max(-pad, drawn[0]), y0 = all ? 0 : max(0, drawn[1]), x1 = all ? L.W + pad : min(L.W + pad, drawn[2]), y1 = all ? L.H : min(L.H, drawn[3]);
  const svg = picked([x0, y0, x1, y1], z);
  svg.style.left = (x0 + pad) * z + 'px';
  svg.style.top = y0 * z + 'px';
  box.replaceChildren(svg);
  overview();
  if (focus) { const f = svg.querySelector(`[data-i="${sel}"]`); if (f) f.focus({ preventScroll: true }); }
}
// A map of all that is open, where it is more than the pane holds.
const room = sc => [sc.scrollWidth, sc.scrollHeight, sc.clientWidth, sc.clientHeight];
function overview() {
  const [W, H, w, h] = room($('scroll')), on = !L.slim && (W > w + 9 || H > h + 9) && L.out.length < 3000;
  $('map').hidden = !on;
  if (on) $('map').replaceChildren(sv('svg', { viewBox: `${-PAD} 0 ${W / zoom} ${L.H}`, preserveAspectRatio: 'none', width: '100%', height: '100%' }, L.out.map(b => rect('kf ' + colourOf(b.i), b.x, b.y, b.w, b.h)), rect('eye', 0, 0, w / zoom, min(h / zoom, L.H))));
  moveEye();
}
function moveEye() {
  const e = $('map').querySelector('.eye'), s = $('scroll');
  if (e) { e.setAttribute('x', s.scrollLeft / zoom - PAD); e.setAttribute('y', s.scrollTop / zoom); }
}
function picked([x0, y0, x1, y1], z) {
  const { out, slim } = L, svg = sv('svg', { xmlns: NS, id: 'svg', width: (x1 - x0) * z, height: (y1 - y0) * z, viewBox: `${x0} ${y0} ${x1 - x0} ${y1 - y0}`, role: 'presentation' });
  const ribs = sv('g'), labels = sv('g', { 'aria-hidden': 'true' }), cards = sv('g'), scale = (slim ? 9 : 38) / (R[0] || 1);
  const inside = b => b.x < x1 && b.x + b.w + 30 > x0 && b.y < y1 && b.y + b.h > y0;
  const crosses = (a, b) => a.x < x1 && b.x + b.w > x0 && min(a.y, b.y) < y1 && max(a.y + a.h, b.y + b.h) > y0;
  for (const b of out) {
    if (b.isOpen && (b.up < 0 || crosses(b, out[b.first]) || crosses(b, out[b.last]))) ribbons(b, ribs, labels, scale, slim);
    if (inside(b)) cards.append(card(b, slim));
  }
  add(svg, [ribs, labels, cards]);
  return svg;
}
function ribbons(b, ribs, labels, scale, slim) {
  const { out, index } = L, boxes = kids(b.i).map(c => out[index.get(c)]);
  const strands = boxes.map(({ i }) => {
    const s = colour === 'class' && !REG ? shown(weights(i)).map(([c, x]) => [c, x]) : [[colourOf(i), 1]], t = sum(s.map(q => q[1])) || 1, w = max(1.4, R[i] * scale);
    return s.map(([c, x]) => [c, x / t * w]);
  });
  const ws = strands.map(s => sum(s.map(q => q[1])));
  let y1 = b.y + b.h / 2 - sum(ws) / 2;
  boxes.forEach((k, j) => {
    const mark = onPath ? (onPath.has(k.i) && onPath.has(b.i) ? ' onpath' : ' dim') : '', mid = k.y + k.h / 2;
    if (slim) { let x = b.x + 6 - ws[j] / 2; for (const [c, w] of strands[j]) { ribs.append(sv('path', { class: 'rib ' + c + mark, d: `M${x.toFixed(1)},${b.y + b.h - 1}h${w.toFixed(2)}V${mid}h-${w.toFixed(2)}z` })); x += w; } return; }
    const x1 = b.x + b.w - 1, x2 = k.x + 1, m = (x1 + x2) / 2;
    let y2 = mid - ws[j] / 2;
    for (const [c, w] of strands[j]) {
      const [a, e, f, g] = [y1, y2, y2 + w, y1 + w].map(v => v.toFixed(1));
      ribs.append(sv('path', { class: 'rib ' + c + mark, d: `M${x1},${a}C${m},${a} ${m},${e} ${x2},${e}V${f}C${m},${f} ${m},${g} ${x1},${g}z` }));
      y1 += w; y2 += w;
    }
    const up = mid <= b.y + b.h / 2 + 2;
    labels.append(text('te' + (faded(k.i) ? ' dim' : ''), x2 - 8, up ? mid - ws[j] / 2 - 6 : mid + ws[j] / 2 + 14, 'end', cutText(branch(b.i, j), GAP - 10, 11)));
  });
}
function mineAt(i) {
  if (!row || !onPath || !onPath.has(i)) return undefined;
  const s = split(i);
  if (s.k === 'linear') { const z = along(i, row); return z === null ? undefined : z + s.cut - s.raw[0]; }
  return s.k !== 'axis' && row[s.col] === null ? COLUMNS[s.col].v.indexOf(null) : row[s.col] ?? undefined;
}
function card(b, slim) {
  const { i, w, h } = b, leaf = isLeaf(i), x = 15, iw = w - x - 13;
  const g = sv('g', { class: 'node' + (i === sel ? ' sel' : '') + (hits && hits.has(i) ? ' hit' : '') + (faded(i) ? ' dim' : ''), transform: `translate(${b.x},${round(b.y * 10) / 10})`, role: 'treeitem', 'data-i': i, tabindex: i === sel ? 0 : -1, 'aria-level': b.d + 1, 'aria-selected': i === sel, 'aria-expanded': leaf ? null : b.isOpen, 'aria-label': spoken(i) });
  const end = (t, y) => g.append(text('tm', x + iw, y, 'end', t));
  add(g, [rect('ring', -4, -4, w + 8, h + 8, 12), rect('card', 0, 0, w, h, 9), rect('kf ' + colourOf(i), 0, 10, 4, h - 20, 2)]);
  let y = 0;
  if (b.head) { const p = parents[i]; g.append(text('tm', x, 18, null, cutText((KINDS[T.k[p]] === 'linear' ? ['weighted sum', branch(p, place[i])] : condition(p, place[i], 3)).join(' '), iw - (leaf ? 0 : 38), 11))); y = b.head; }
  const part = onPath?.get(i), n = part < 1 ? pct(part) + ' of it' : rows(R[i]), nw = wide(n, 11), k = REG ? 0 : answer(i);
  if (leaf) {
    end(n, y + 21);
    if (REG) add(g, [sv('text', { class: 'tt', x, y: y + 21 }, sv('tspan', { class: 'tb' }, num(MEAN[i])), sv('tspan', { class: 'tm' }, around(i))), svgRange(i, x + 4, y + 36, iw - 8)]);
    else {
      const p = pct(share(i, k)), pw = max(wide(p, 11), 34);
      add(g, [text('tt tb', x, y + 21, null, cutText(CLASSES[k], iw - nw - 8, 12.5, 600)), svgStack(weights(i), x, y + 32, iw - pw - 6, 7)]);
      end(p, y + 39.5);
    }
    return g;
  }
  const title = b.title || cardTitle(i, w - 28 - (slim ? 38 : 0), 1);
  title.forEach((l, j) => g.append(sv('text', { class: 'tt', x, y: y + 21 + j * 16 }, l.map(([t, wt]) => sv('tspan', { class: wt > 500 ? 'tb' : '', 'xml:space': 'preserve' }, t)))));
  y += 32 + (title.length - 1) * 16;
  if (!b.isOpen) {
    g.append(REG ? svgRange(i, x + 4, y + 4, iw - nw - 18) : svgStack(weights(i), x, y, iw - nw - 10, 7));
    end(n, y + 7.5);
  } else {
    g.append(picture(i, x, y, iw, 27, mineAt(i)));
    y += 34;
    if (!REG) g.append(svgStack(weights(i), x, y, iw, 4));
    y += REG ? 14 : 20;
    g.append(text('tm', x, y, null, n));
    const p = T.p && T.p[i], r = REG ? 'mean ' + num(MEAN[i]) : p ? (p[0][1] < -3 ? 'p < 0.001' : 'p = ' + pText(p[0][1])) : pct(share(i, k)) + ' ' + CLASSES[k];
    if (REG || wide(r, 11) <= iw - nw - 5) end(REG && wide(r, 11) > iw - nw - 5 ? num(MEAN[i], 2) : r, y);
    else { const t = pct(share(i, k)); end(t, y); g.append(rect('kf ' + klass(k), x + iw - wide(t, 11) - 13, y - 8, 8, 8, 2)); }
  }
  const t = b.isOpen ? '–' : '+' + num(sizes[i] - 1, 9), tw = max(20, wide(t, 11, 600) + 10), tx = slim ? w - tw - 8 : b.isOpen ? w - tw / 2 : w - 5, ty = slim ? 7 : h / 2 - 10;
  g.append(sv('g', { class: 'tog' + (b.isOpen && !slim ? ' minus' : ''), 'data-t': i, 'aria-hidden': 'true' }, rect('', tx, ty, tw, 20, 10), text('', tx + tw / 2, ty + 14, null, t)));
  return g;
}
function show(i) {
  const b = L.out[L.index.get(i)], s = $('scroll'), m = 24;
  if (!b) return;
  if (L.slim) { const y = b.y + $('tree').getBoundingClientRect().top; if (y < 0 || y + b.h > innerHeight - 120) scrollBy(0, y - innerHeight / 3); return paint(); }
  const x = (b.x + PAD) * zoom, y = b.y * zoom + max(0, (s.clientHeight - L.H * zoom) / 2), w = b.w * zoom, h = b.h * zoom;
  if (x < s.scrollLeft + m) s.scrollLeft = x - m; else if (x + w > s.scrollLeft + s.clientWidth - m) s.scrollLeft = x + w - s.clientWidth + m;
  if (y < s.scrollTop + m) s.scrollTop = y - m; else if (y + h > s.scrollTop + s.clientHeight - m) s.scrollTop = y + h - s.clientHeight + m;
  paint();
}
function reveal(i) { for (let p = parents[i]; p >= 0; p = parents[p]) open.add(p); }
function toDepth(d) {
  open = new Set();
  for (let i = 0; i < COUNT; i++) if (depths[i] < d && !isLeaf(i)) open.add(i);
  $('depth').value = d;
  $('depthText').textContent = `${d} of ${LEVELS}`;
}
function fit(least = .8) { if (!narrow()) zoom = max(least, min(1.1, ($('scroll').clientWidth - 4) / (layout().W + 2 * PAD))); }
