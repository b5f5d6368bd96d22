/// One box of a manifest store (ISO/IEC 19566-5 annex A): a type of four characters and its content.
struct JUMBFBox {
    static let maximumChildren = 1000

    let type: String
    let content: ArraySlice<UInt8>

    /// Splits the bytes into boxes.
    /// - Returns: `nil` if a length is invalid: shorter than a head, longer than the rest, or open-ended.
    static func all(in bytes: ArraySlice<UInt8>) -> [JUMBFBox]? {
        var rest = bytes
        var boxes: [JUMBFBox] = []
        while !rest.isEmpty {
            guard boxes.count < maximumChildren, rest.count >= 8 else { return nil }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard length >= 8, length <= rest.count else { return nil }
            boxes.append(
                JUMBFBox(type: String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self), content: rest.prefix(length).dropFirst(8)))
            rest = rest.dropFirst(length)
        }
        return boxes
    }
}

/// A labelled box that contains boxes. The first child is its description.
struct JUMBFSuperbox {
    /// Ours are far shorter. Comparing a label may take time in the square of its length: `String` puts combining marks in a row in order.
    static let maximumLabelBytes = 256

    let label: String
    private let children: [JUMBFBox]

    /// `nil` if the box is not a superbox with a label, or if that is longer than ``maximumLabelBytes``.
    init?(_ box: JUMBFBox) {
        guard box.type == "jumb", let boxes = JUMBFBox.all(in: box.content), let description = boxes.first, description.type == "jumd",
            let label = Self.label(description.content)
        else { return nil }
        self.label = label
        children = Array(boxes.dropFirst())
    }

    /// The superboxes inside, in order.
    var superboxes: [JUMBFSuperbox] { children.compactMap { JUMBFSuperbox($0) } }

    /// The only superbox with this label; `nil` also if there are several.
    subscript(label: String) -> JUMBFSuperbox? {
        let found = superboxes.filter { $0.label == label }
        return found.count == 1 ? found.first : nil
    }

    /// The content of its only box of this type.
    func content(_ type: String) -> ArraySlice<UInt8>? {
        let found = children.filter { $0.type == type }
        return found.count == 1 ? found.first?.content : nil
    }

    /// UUID (16 bytes), toggles, then, if bit 1 of the toggles is set, the label up to a zero byte.
    private static func label(_ description: ArraySlice<UInt8>) -> String? {
        guard description.count > 17, let toggles = description.dropFirst(16).first, toggles & 2 != 0 else { return nil }
        let text = description.dropFirst(17).prefix { $0 != 0 }
        guard (1...maximumLabelBytes).contains(text.count), text.count < description.count - 17 else { return nil }
        return String(validating: text, as: UTF8.self)
    }
}
