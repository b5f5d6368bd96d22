import CAVCodec

/// A picture of libavcodec: planes of brightness and colour, of 8 or more bits.
final class Frame {
    let pointer: UnsafeMutablePointer<AVFrame>

    init() {
        guard let frame = av_frame_alloc() else { fatalError("no memory for a frame") }
        pointer = frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&frame)
    }

    func clear() { av_frame_unref(pointer) }

    var width: Int { Int(pointer.pointee.width) }
    var height: Int { Int(pointer.pointee.height) }

    /// A grey picture.
    static func blank(width: Int32, height: Int32) throws -> Frame {
        let frame = Frame()
        try frame.allocate(width: width, height: height)
        for (index, plane) in (try frame.planes()).enumerated() {
            for y in 0..<plane.height {
                let row = UnsafeMutableRawPointer(mutating: plane.base + y * plane.stride)
                row.initializeMemory(as: UInt8.self, repeating: index == 0 ? 60 : 128, count: plane.width)
            }
        }
        return frame
    }

    /// Makes it a picture of 8 bits and half the colours in both directions (4:2:0).
    func allocate(width: Int32, height: Int32) throws {
        pointer.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        pointer.pointee.width = width
        pointer.pointee.height = height
        try DecodingFailure.check(av_frame_get_buffer(pointer, 0), "no memory for a picture")
    }

    /// One plane in memory.
    struct Plane {
        let base: UnsafeRawPointer
        /// Bytes from a row to the next.
        let stride: Int
        let width: Int
        let height: Int
        /// Bytes from a value to the next.
        let step: Int
        /// Significant bits of a value, 8…16.
        let depth: Int

        /// Whether a row is a byte for each value.
        var isBytes: Bool { depth == 8 && step == 1 }

        /// Rows of a plane of 8 bits.
        func row(_ y: Int) -> UnsafePointer<UInt8> { (base + y * stride).assumingMemoryBound(to: UInt8.self) }

        /// A row of 8 bits, whatever the plane has: more are rounded.
        func copyRow(_ y: Int, to output: UnsafeMutablePointer<UInt8>) {
            let start = base + y * stride
            if depth == 8 {
                for x in 0..<width { output[x] = start.load(fromByteOffset: x * step, as: UInt8.self) }
            } else {
                let (shift, half) = (depth - 8, UInt32(1) << (depth - 9))
                for x in 0..<width {
                    let value = UInt32(start.load(fromByteOffset: x * step, as: UInt16.self))
                    output[x] = UInt8(min(255, (value + half) >> shift))
                }
            }
        }
    }

    /// Brightness, and where there are colours blue and red.
    /// - Throws: ``DecodingFailure`` for a picture that is no planes of brightness and colour.
    func planes() throws -> [Plane] {
        guard let description = av_pix_fmt_desc_get(AVPixelFormat(rawValue: pointer.pointee.format)), width > 0, height > 0 else {
            throw DecodingFailure("a picture of an unknown format")
        }
        let refused = UInt64(
            AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_BITSTREAM)
        guard description.pointee.flags & refused == 0 else { throw DecodingFailure("a picture of another kind") }
        let components = withUnsafeBytes(of: description.pointee.comp) { Array($0.bindMemory(to: AVComponentDescriptor.self)) }
        return try (0..<min(3, Int(description.pointee.nb_components))).map { index in
            let component = components[index]
            let isColour = index > 0
            let depth = Int(component.depth)
            guard component.shift == 0, (8...16).contains(depth), component.step == (depth == 8 ? 1 : 2) || depth == 8,
                let data = data(Int(component.plane))
            else { throw DecodingFailure("a picture of another layout") }
            func shifted(_ size: Int, _ shift: UInt8) -> Int { isColour ? (size + (1 << Int(shift)) - 1) >> Int(shift) : size }
            return Plane(
                base: UnsafeRawPointer(data.pointer) + Int(component.offset), stride: data.stride,
                width: shifted(width, description.pointee.log2_chroma_w), height: shifted(height, description.pointee.log2_chroma_h),
                step: Int(component.step), depth: depth)
        }
    }

    private func data(_ plane: Int) -> (pointer: UnsafeMutablePointer<UInt8>, stride: Int)? {
        guard (0..<4).contains(plane) else { return nil }
        let data = withUnsafeBytes(of: pointer.pointee.data) { $0.bindMemory(to: UnsafeMutablePointer<UInt8>?.self)[plane] }
        let stride = withUnsafeBytes(of: pointer.pointee.linesize) { $0.bindMemory(to: Int32.self)[plane] }
        guard let data, stride > 0 else { return nil }
        return (data, Int(stride))
    }
}
