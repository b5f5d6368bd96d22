/// Reads the compressed depth part of a capture (SPEC §2).
public enum DepthMapDecoder {
    /// Inflates little-endian float32 values, row-major, top row first.
    ///
    /// Memory is bounded by the expected output plus one byte, whatever the stream would inflate to.
    /// - Parameter compressed: one gzip, zlib or raw DEFLATE stream; which one is detected.
    /// - Throws: ``DepthError``: `dimensionsOutOfRange`, `corrupt`, `truncated`, `trailingBytes`, and `shapeMismatch` if the
    ///   inflated length is not `width * height * 4`.
    public static func decode(_ compressed: [UInt8], width: Int, height: Int) throws(DepthError) -> DepthMap {
        let count = try DepthMap.pixelCount(width: width, height: height)
        guard compressed.count >= 2 else { throw DepthError(.truncated, "\(compressed.count) bytes") }
        var firstError: DepthError?
        for wrapping in DeflateWrapping.candidates(compressed[0], compressed[1]) {
            do {
                let bytes = try inflate(compressed, wrapping, expected: count * 4)
                return try DepthMap(width: width, height: height, metres: floats(bytes, count: count))
            } catch {
                // The most likely wrapping comes first, so its error is the most useful.
                firstError = firstError ?? error
            }
        }
        throw firstError ?? DepthError(.corrupt, "no known wrapping")
    }

    private static func inflate(
        _ compressed: [UInt8], _ wrapping: DeflateWrapping, expected: Int
    ) throws(DepthError) -> [UInt8] {
        let inflater = try Inflater(wrapping)
        // One extra byte detects a stream that is too long without inflating the rest.
        var output = [UInt8](repeating: 0, count: expected + 1)
        var consumed = 0
        var produced = 0
        while !inflater.isFinished, produced <= expected {
            let step = try withBuffers(compressed, &output) { input, output throws(DepthError) in
                try inflater.inflate(
                    UnsafeRawBufferPointer(rebasing: input[consumed...]),
                    into: UnsafeMutableRawBufferPointer(rebasing: output[produced...]))
            }
            consumed += step.consumed
            produced += step.produced
            if step.consumed == 0, step.produced == 0, !inflater.isFinished {
                throw DepthError(.truncated, "the stream ends after \(produced) inflated bytes")
            }
        }
        guard produced <= expected else { throw DepthError(.shapeMismatch, "inflates to more than \(expected) bytes") }
        guard produced == expected else {
            throw DepthError(.shapeMismatch, "inflates to \(produced) bytes, expected \(expected)")
        }
        guard consumed == compressed.count else {
            throw DepthError(.trailingBytes, "\(compressed.count - consumed) bytes after the end")
        }
        output.removeLast()
        return output
    }

    private static func withBuffers<Result>(
        _ input: [UInt8], _ output: inout [UInt8],
        _ body: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) throws(DepthError) -> Result
    ) throws(DepthError) -> Result {
        var result: Swift.Result<Result, DepthError>?
        input.withUnsafeBytes { source in
            output.withUnsafeMutableBytes { target in
                do throws(DepthError) { result = .success(try body(source, target)) } catch { result = .failure(error) }
            }
        }
        guard let result else { throw DepthError(.corrupt, "no buffer") }
        return try result.get()
    }

    private static func floats(_ bytes: [UInt8], count: Int) -> [Float] {
        bytes.withUnsafeBytes { raw in
            (0..<count).map { index in
                Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
            }
        }
    }
}
