import CaptureProtocol
import Depth
import Models

extension DepthPlane {
    /// Measures the map as the server measures one that is sent (`DepthAnalysis`): the same numbers for the same map and brightness.
    ///
    /// - Parameters:
    ///   - luma: without it the numbers that compare with the photo are missing, or 0.
    ///   - orientation: the photo's.
    func measurements(luma: LumaPlane?, orientation: PhotoOrientation) throws(DepthError) -> SignedDepth {
        DepthAnalysis.analyze(depth: try map(), luma: luma?.image, exifOrientation: orientation.rawValue).signed
    }

    /// The map as the module takes it that measures.
    func map() throws(DepthError) -> DepthMap {
        let metres = bytes.withUnsafeBytes { raw in
            (0..<width * height).map { index in
                Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
            }
        }
        return try DepthMap(width: width, height: height, metres: metres)
    }
}
