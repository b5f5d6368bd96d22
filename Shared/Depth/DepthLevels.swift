import Models

/// The levels of depths on a scale, as of ``DepthPreview/level(of:in:)``.
///
/// Numbers with the same upper bits (``DepthCode``) mostly have the same level, which is then computed for the first and the last of them
/// only: a level never falls as depths grow, since neighbouring floats differ by far more than a logarithm is rounded.
struct DepthLevels {
    /// In place of the level of what is no measurement.
    static let unmeasured: UInt8 = 255
    /// In place of the level of a code: none was computed yet, or its depths have several.
    private static let unknown: UInt8 = 255
    private static let several: UInt8 = 254

    private let scale: DepthPreviewScale
    private let extent: Double
    /// The level of each code.
    private var levels: [UInt8]

    init(_ scale: DepthPreviewScale) {
        self.scale = scale
        extent = scale.extent
        levels = [UInt8](repeating: Self.unknown, count: DepthCode.count)
    }

    mutating func level(of metres: Float) -> UInt8 {
        let code = DepthCode.code(of: metres)
        guard code > 0 else { return Self.unmeasured }
        var level = levels[Int(code)]
        if level == Self.unknown {
            let (first, last) = DepthCode.ends(of: code)
            level = computed(first)
            if computed(last) != level { level = Self.several }
            levels[Int(code)] = level
        }
        return level == Self.several ? computed(metres) : level
    }

    private func computed(_ metres: Float) -> UInt8 { DepthPreview.level(of: Double(metres), in: scale, extent: extent) }
}
