import Depth
import Foundation
import Models

/// libFuzzer's entry: the first three bytes choose the size, the rest is the compressed part.
///
/// A decoded map must have the given size, agree with the streaming inspector, and give finite numbers.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDepthDecoder(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 3 else { return 0 }
    let width = Int(input[0] & 63) + 1
    let height = Int(input[1] & 63) + 1
    let compressed = Array(input[3...])
    let inflated = inspect(compressed, chunk: Int(input[2]) + 1)
    guard let map = try? DepthMapDecoder.decode(compressed, width: width, height: height) else { return 0 }
    precondition(map.metres.count == width * height, "wrong shape")
    precondition(inflated == width * height * 4, "decoder and inspector disagree")
    let luma = try? LumaImage(width: height, height: width, pixels: map.metres.map { UInt8($0.bitPattern & 255) })
    let result = DepthAnalysis.analyze(depth: map, luma: luma, exifOrientation: Int(input[2] & 15))
    let numbers = [
        result.depthVariance, result.edgeCoherence, result.minDepth ?? 0, result.maxDepth ?? 0, result.relief ?? 0,
        result.coverage,
    ]
    precondition(numbers.allSatisfy { $0.isFinite }, "a number is not finite")
    precondition((0...1).contains(result.edgeCoherence) && (0...1).contains(result.relief ?? 0), "a share beyond 0...1")
    return 0
}

private func inspect(_ compressed: [UInt8], chunk: Int) -> Int? {
    let inspector = DepthStreamInspector()
    do {
        for start in stride(from: 0, to: compressed.count, by: chunk) {
            try inspector.update(compressed[start..<min(start + chunk, compressed.count)])
        }
        return try inspector.finish()
    } catch {
        return nil
    }
}
