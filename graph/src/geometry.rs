//! Points, boxes and curves.

/// A point; `y` grows downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    pub(crate) fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    /// The point at `t` of the way to another.
    pub(crate) fn towards(self, to: Point, t: f64) -> Point {
        Point::new(self.x + (to.x - self.x) * t, self.y + (to.y - self.y) * t)
    }

    pub(crate) fn distance(self, to: Point) -> f64 {
        (self.x - to.x).hypot(self.y - to.y)
    }
}

/// A box by its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub(crate) middle: Point,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Rect {
    /// Whether a point lies in it, or nearer to it than `margin`.
    pub(crate) fn holds(&self, p: Point, margin: f64) -> bool {
        (p.x - self.middle.x).abs() <= self.width / 2.0 + margin
            && (p.y - self.middle.y).abs() <= self.height / 2.0 + margin
    }

    /// Whether two boxes overlap, or come nearer than `margin`.
    pub(crate) fn meets(&self, other: &Rect, margin: f64) -> bool {
        (self.middle.x - other.middle.x).abs() < (self.width + other.width) / 2.0 + margin
            && (self.middle.y - other.middle.y).abs() < (self.height + other.height) / 2.0 + margin
    }
}

/// A quadratic Bézier curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Curve(pub(crate) Point, pub(crate) Point, pub(crate) Point);

impl Curve {
    /// From one point to another, bent to the left of its direction by `bend` (in units of length at the middle).
    pub(crate) fn bent(from: Point, to: Point, bend: f64) -> Curve {
        let length = from.distance(to).max(1.0);
        let (dx, dy) = ((to.x - from.x) / length, (to.y - from.y) / length);
        let middle = from.towards(to, 0.5);
        // The curve's middle is half as far off as its control point.
        Curve(from, Point::new(middle.x + 2.0 * bend * dy, middle.y - 2.0 * bend * dx), to)
    }

    pub(crate) fn at(&self, t: f64) -> Point {
        self.0.towards(self.1, t).towards(self.1.towards(self.2, t), t)
    }

    /// The part from `t` to `u`.
    pub(crate) fn part(&self, t: f64, u: f64) -> Curve {
        let control = self.0.towards(self.1, t).towards(self.1.towards(self.2, t), u);
        Curve(self.at(t), control, self.at(u))
    }

    /// The part outside of a box at its start and another at its end.
    pub(crate) fn between(&self, first: &Rect, last: &Rect, gap: f64) -> Curve {
        const STEPS: u32 = 200;
        let at = |i: u32| f64::from(i) / f64::from(STEPS);
        let t = (0..STEPS).map(at).find(|t| !first.holds(self.at(*t), 1.0)).unwrap_or(0.4);
        let u = (0..STEPS).rev().map(at).find(|u| !last.holds(self.at(*u), gap)).unwrap_or(0.6);
        if t < u { self.part(t, u) } else { self.part(0.4, 0.6) }
    }
}
