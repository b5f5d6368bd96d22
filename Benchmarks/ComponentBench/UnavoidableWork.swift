import CaptureProtocol
import Crypto
import Depth
import Foundation
import Imaging
import Models
import Scene

/// The minimum cost of a photo capture for any implementation: one SHA-256 of the received bytes, one colour decode fitted to the largest
/// page picture, the encoding of its pictures, the depth fit, one signature of the C2PA library.
///
/// Everything that an implementation could avoid is prepared before the measurement: the depth map is decoded, the signer has its settings.
struct UnavoidableWork {
    private let photo: [UInt8]
    private let compressedDepth: [UInt8]
    private let depth: DepthMap
    private let decoded: PhotoVariants
    private let luma: LumaImage
    private let credentials: CredentialWork

    init(photo: [UInt8], compressedDepth: [UInt8], depth: DepthMap, credentials: CredentialWork) throws {
        self.photo = photo
        self.compressedDepth = compressedDepth
        self.depth = depth
        self.credentials = credentials
        decoded = try PhotoVariants(photo)
        let gray = decoded.luma(covering: (depth.width, depth.height))
        luma = try LumaImage(width: gray.width, height: gray.height, pixels: gray.pixels)
    }

    /// Prints each part and, in a line that `scripts/bench` parses, their sum in milliseconds of one core.
    func print() throws {
        var total = 0.0
        func part(_ name: String, _ work: () -> Bool) {
            let seconds = ProcessorTime.measure(work)
            total += seconds
            Table.row("  " + name, seconds)
        }
        Swift.print("what one capture cannot do without")
        part("SHA-256 of what came (\((photo.count + compressedDepth.count) / 1000) kB)") {
            var hasher = SHA256()
            hasher.update(data: photo)
            hasher.update(data: compressedDepth)
            return hasher.finalize().withUnsafeBytes { $0.count == 32 }
        }
        part("decode, brightness to \(PhotoVariants.largeSide) px") { (try? PhotoVariants(photo)) != nil }
        part("JPEG of \(PhotoVariants.largeSide), \(PhotoVariants.smallSide) and \(PhotoVariants.thumbnailSide) px") {
            (try? decoded.makeCopies(orientation: 1) { _, _ in }) != nil
        }
        let large = try JPEGDecoder.decodeRGB(photo, fitting: 1200)
        let card = try RGBImage(width: 1200, height: 630, pixels: Array(large.pixels.prefix(1200 * 630 * 3)))
        part("JPEG of the share card") { (try? JPEGEncoder.encode(card, quality: 90)) != nil }
        let preview = DepthPreview.render(depth: depth, rotation: 0)
        part("PNG of the depth preview") {
            (try? PNGEncoder.encode(
                width: preview.width, height: preview.height, indices: preview.indices, palette: preview.palette)) != nil
        }
        part("depth fit \(depth.width)×\(depth.height)") {
            DepthAnalysis.analyze(depth: depth, luma: luma, exifOrientation: 1).verdict == .real
        }
        part("C2PA signature") { credentials.signBare() }
        Swift.print(String(format: "unavoidable work of one capture: %.2f ms", total * 1000))
    }
}
