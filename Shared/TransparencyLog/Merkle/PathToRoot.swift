/// The way from a leaf, or a subtree, to the root of its tree. Each step takes one hash of a proof (RFC 9162 §2.1.3.2).
struct PathToRoot {
    /// On which side of the node the next hash stands.
    enum Side {
        case left, right
    }

    /// The node's position in its level, from 0 at the left.
    private(set) var position: UInt64
    /// Position of the last node of the level.
    private var last: UInt64

    /// - Parameter last: at least `position`.
    init(position: UInt64, last: UInt64) {
        self.position = position
        self.last = last
    }

    var isAtRoot: Bool { last == 0 }

    /// Goes to the parent; `nil` at the root.
    mutating func climb() -> Side? {
        guard last > 0 else { return nil }
        let hasLeft = !position.isMultiple(of: 2) || position == last
        if hasLeft {
            // At the right edge, levels in which the node has no sibling are passed over.
            while position.isMultiple(of: 2), position > 0 { up() }
        }
        up()
        return hasLeft ? .left : .right
    }

    /// Goes up while the node is its parent's right child.
    mutating func skipRightChildren() { while !position.isMultiple(of: 2) { up() } }

    private mutating func up() {
        position >>= 1
        last >>= 1
    }
}
