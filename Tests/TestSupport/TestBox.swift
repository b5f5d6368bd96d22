/// A box of an MP4 or QuickTime file that can be changed in any way, also into one that cannot be.
package final class TestBox {
    package enum Size {
        case short
        case long
        /// 0: to the end of the file.
        case toEnd
        /// Whatever it is.
        case claimed(UInt32)
    }

    package var type: String
    package var size = Size.short
    /// In front of the children: fields of a container, or all of another box.
    package var payload: [UInt8]
    package var children: [TestBox]

    package init(_ type: String, _ payload: [UInt8] = [], _ children: [TestBox] = []) {
        (self.type, self.payload, self.children) = (type, payload, children)
    }

    package var bytes: [UInt8] {
        let content = payload + children.flatMap(\.bytes)
        let code = Array(type.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        switch size {
        case .short: return be32(content.count + 8) + code + content
        case .long: return be32(1) + code + be64(content.count + 16) + content
        case .toEnd: return be32(0) + code + content
        case .claimed(let size): return be32(Int(size)) + code + content
        }
    }

    /// The first box at a path such as "mdia/minf"; `track[1]`-like steps are not needed: tracks are found by `handler`.
    package subscript(path: String) -> TestBox {
        path.split(separator: "/").reduce(self) { box, step in
            box.children.first { $0.type == step } ?? TestBox("none")
        }
    }

    package func remove(_ type: String) { children.removeAll { $0.type == type } }

    /// Writes over the payload.
    package func put(_ bytes: [UInt8], at offset: Int) { payload.replaceSubrange(offset..<offset + bytes.count, with: bytes) }

    package var copy: TestBox {
        let copy = TestBox(type, payload, children.map(\.copy))
        copy.size = size
        return copy
    }
}

extension TestBox {
    private static let fieldBytes = [
        "": 0, "moov": 0, "trak": 0, "edts": 0, "mdia": 0, "minf": 0, "dinf": 0, "stbl": 0, "udta": 0, "dref": 8, "stsd": 8, "avc1": 78,
        "hvc1": 78, "mp4a": 28,
    ]

    /// The boxes of a sound file; an unnamed box holds those at the top.
    package static func file(_ bytes: [UInt8]) -> TestBox { TestBox("", [], boxes(bytes[...])) }

    private static func boxes(_ bytes: ArraySlice<UInt8>) -> [TestBox] {
        var (boxes, rest) = ([TestBox](), bytes)
        while rest.count >= 8 {
            let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let type = String(String.UnicodeScalarView(rest.dropFirst(4).prefix(4).map { UnicodeScalar($0) }))
            let content = rest.prefix(size == 0 ? rest.count : size).dropFirst(8)
            // QuickTime's sound has 16 bytes more and boxes that are left as they are.
            if let fields = fieldBytes[type], !(type == "mp4a" && content.dropFirst(9).first != 0), content.count >= fields {
                boxes.append(TestBox(type, Array(content.prefix(fields)), Self.boxes(content.dropFirst(fields))))
            } else {
                boxes.append(TestBox(type, Array(content)))
            }
            rest = rest.dropFirst(content.count + 8)
        }
        return boxes
    }

    /// Of the whole file: its boxes one after the other.
    package var fileBytes: [UInt8] { children.flatMap(\.bytes) }
    package var movie: TestBox { self["moov"] }
    package var tracks: [TestBox] { movie.children.filter { $0.type == "trak" } }
    package var video: TestBox { tracks.first { $0["mdia/hdlr"].payload[8..<12].elementsEqual("vide".utf8) } ?? TestBox("none") }
    package var sound: TestBox { tracks.first { $0["mdia/hdlr"].payload[8..<12].elementsEqual("soun".utf8) } ?? TestBox("none") }
    /// Of a track.
    package var table: TestBox { self["mdia/minf/stbl"] }
    /// Of a track.
    package var entry: TestBox { table["stsd"].children.first ?? TestBox("none") }

    /// Of a track: its edit list, with `edits` of duration, media time and rate in 16.16.
    package func edit(_ edits: [(duration: Int, mediaTime: Int, rate: Int)]) {
        remove("edts")
        let entries = edits.flatMap { be32($0.duration) + be32($0.mediaTime) + be32($0.rate) }
        children.append(TestBox("edts", [], [TestBox("elst", be32(0) + be32(edits.count) + entries)]))
    }

    /// Of a table: its entries, after a count that is theirs unless given.
    package func entries(_ numbers: [Int], count: Int? = nil, perEntry: Int = 1) {
        payload = be32(0) + be32(count ?? numbers.count / perEntry) + numbers.flatMap { be32($0) }
    }
}

package func be32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
package func be64(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
package func be16(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)] }
