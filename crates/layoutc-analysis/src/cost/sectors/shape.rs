//! What the requests of a kernel touch, at each of their alignments.

use super::footprint::{Cell, FirstByte, Lattice, Phases, cells};
use super::request::Request;
use super::{Lattices, SectorDevice};
use std::rc::Rc;

/// The sectors of a request at each alignment, and in each of them of each sample of the block's warps.
/// Those of requests that are whole lines apart are the same but for their numbers.
#[derive(Debug)]
struct Cells {
    of: Vec<Vec<Cell>>,
    sectors: f64,
    lines: f64,
}

/// What a request touches.
#[derive(Debug)]
pub(in crate::cost) struct Shape<'a> {
    pub lattice: &'a Lattice,
    phases: Phases,
    cells: Rc<Cells>,
    /// What the numbers of its sectors are above those in `cells`.
    ahead: i64,
    /// Elements and the bytes from them to the next as many, where that is one number.
    steps: (i64, i64),
    sector: u64,
}

/// What decides about sectors.
#[derive(PartialEq, Eq)]
struct Key {
    lattice: usize,
    stride: u64,
    tile: u64,
    size: u64,
    byte: u64,
    bytes: u64,
    offset: i64,
    phases: Phases,
}

impl Key {
    fn new(request: &Request, lattice: usize, phases: Phases, device: &SectorDevice) -> Key {
        let sector = device.sector;
        let place = &request.place;
        let stride = if place.has_planes { place.size } else { place.stride };
        let (tile, size) = if place.tile > 1 { (place.tile, place.size) } else { (1, 0) };
        let (mut byte, mut bytes) = (request.byte, request.bytes);
        // Where elements begin at sectors, all bytes of a sector are alike.
        let within = byte / sector == (byte + bytes - 1) / sector;
        if tile == 1 && stride.is_multiple_of(sector) && within && request.moves.is_none() {
            (byte, bytes) = (byte / sector * sector, 1);
        }
        if device.line.is_multiple_of(sector) {
            byte %= device.line;
        }
        Key { lattice, stride, tile, size, byte, bytes, offset: request.offset, phases }
    }
}

/// The shapes of all requests.
pub(in crate::cost) fn shapes<'a>(
    requests: &[Request],
    lattices: &'a Lattices,
    device: &SectorDevice,
) -> Vec<Shape<'a>> {
    let mut known: Vec<(Key, Rc<Cells>)> = Vec::with_capacity(requests.len());
    let mut shapes = Vec::with_capacity(requests.len());
    for (request, at) in requests.iter().zip(&lattices.of_request) {
        let lattice = &lattices.list[*at];
        let phases = Phases::new(request, lattice.is_scattered, device.sector);
        let key = Key::new(request, *at, phases.clone(), device);
        let byte = key.byte + request.byte % device.sector - key.byte % device.sector;
        let found = known.iter().find(|(own, _)| *own == key).map(|(_, cells)| Rc::clone(cells));
        let cells = found.unwrap_or_else(|| {
            let cells = Rc::new(Cells::new(request, byte, lattice, &phases, device));
            known.push((key, Rc::clone(&cells)));
            cells
        });
        let place = &request.place;
        let stride = if place.has_planes { place.size } else { place.stride };
        let steps = (place.tile.max(1) as i64, stride as i64);
        let ahead = ((request.byte - byte) / device.sector) as i64;
        shapes.push(Shape { lattice, phases, cells, ahead, steps, sector: device.sector });
    }
    shapes
}

impl Cells {
    fn new(
        request: &Request,
        byte: u64,
        lattice: &Lattice,
        phases: &Phases,
        device: &SectorDevice,
    ) -> Cells {
        let start = FirstByte::new(request).at(byte);
        let mut all = Cells { of: Vec::new(), sectors: 0.0, lines: 0.0 };
        let ratio = (device.line / device.sector).max(1) as i64;
        let part = 1.0 / phases.0.len() as f64;
        for phase in &phases.0 {
            for (weight, elements) in &lattice.samples {
                let mut touched = Vec::with_capacity(elements.len());
                cells(request.bytes, &start, elements, *phase, device.sector, &mut touched);
                let mut lines = 0;
                let mut last = None;
                for (row, cell) in &touched {
                    let line = (*row, cell.div_euclid(ratio));
                    lines += u64::from(last != Some(line));
                    last = Some(line);
                }
                all.sectors += part * weight * touched.len() as f64;
                all.lines += part * weight * lines as f64;
                all.of.push(touched);
            }
        }
        all
    }
}

impl Shape<'_> {
    /// Sectors of a warp, on average.
    pub fn sectors(&self) -> f64 {
        self.cells.sectors
    }

    /// Sectors that `bytes` of each element would fill if the elements lay side by side, on average; never more than
    /// [`Shape::sectors`].
    pub fn ideal_sectors(&self, bytes: u64) -> f64 {
        let filled = |elements: f64| (elements * bytes as f64 / self.sector as f64).ceil();
        let samples = self.lattice.samples.iter();
        let ideal: f64 = match self.lattice.is_scattered {
            // One sample stands for all runs of a warp.
            true => filled(samples.map(|(runs, of)| runs * of.len() as f64).sum()),
            false => samples.map(|(weight, of)| weight * filled(of.len() as f64)).sum(),
        };
        ideal.min(self.sectors())
    }

    /// Lines of a warp, on average.
    pub fn lines(&self) -> f64 {
        self.cells.lines
    }

    /// Bytes of a sector.
    pub fn sector(&self) -> u64 {
        self.sector
    }

    /// What the numbers of its sectors are above those of [`Shape::cells`].
    pub fn ahead(&self) -> i64 {
        self.ahead
    }

    /// The sectors at each alignment and in each sample, and how much one of them counts.
    pub fn cells(&self) -> impl Iterator<Item = (f64, &[Cell])> {
        let part = 1.0 / self.phases.0.len() as f64;
        let samples = &self.lattice.samples;
        let of = self.cells.of.iter().enumerate();
        of.map(move |(at, cells)| (part * samples[at % samples.len()].0, &cells[..]))
    }

    /// Whether two requests touch the same sectors at all alignments.
    pub fn is_same(&self, other: &Shape) -> bool {
        Rc::ptr_eq(&self.cells, &other.cells) && self.ahead == other.ahead
    }

    /// What a request with this shape touches when `like`, which has the same index but for a constant,
    /// is at one of its own alignments and samples, `shift` elements earlier: visits the cells, in order,
    /// with numbers as those of `like`.
    pub fn visit_at(
        &self,
        request: &Request,
        like: &Shape,
        at: usize,
        shift: i64,
        scratch: &mut Vec<Cell>,
        visit: impl FnMut(Cell),
    ) {
        let samples = like.lattice.samples.len();
        let (phase, sample) = (at / samples, at % samples);
        let (elements, moved) = like.phases.0[phase];
        let wanted = elements - shift;
        let sector = self.sector as i64;
        if std::ptr::eq(self.lattice, like.lattice) {
            // The same elements, or elements that are whole sectors away from some that are known.
            let ahead = |own: i64| {
                let distance = wanted - own;
                if distance == 0 {
                    return Some(0);
                }
                let (elements, bytes) = self.steps;
                let bytes = (distance / elements).wrapping_mul(bytes);
                (distance % elements == 0 && bytes % sector == 0).then_some(bytes / sector)
            };
            let known = self.phases.0.iter().enumerate().find_map(|(at, (own, own_moved))| {
                (*own_moved == moved).then(|| ahead(*own)).flatten().map(|ahead| (at, ahead))
            });
            if let Some((at, ahead)) = known {
                let cells = &self.cells.of[at * samples + sample];
                let ahead = ahead + self.ahead - like.ahead;
                cells.iter().map(|(row, cell)| (*row, cell + ahead)).for_each(visit);
                return;
            }
        }
        // Other lanes of the same warp, where branches part them.
        let own = &self.lattice.samples;
        let elements = &own.get(sample).unwrap_or(&own[0]).1;
        let start = FirstByte::new(request);
        cells(request.bytes, &start, elements, (wanted, moved), self.sector, scratch);
        scratch.iter().map(|(row, cell)| (*row, cell - like.ahead)).for_each(visit);
    }
}
