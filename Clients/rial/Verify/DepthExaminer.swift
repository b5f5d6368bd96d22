import CaptureProtocol
import Depth
import Imaging
import JPEGMetadata
import Models
import TransparencyLog

/// Analyses the depth of a photo once more, and compares all numbers, to the last bit.
enum DepthExaminer {
    static func finding(_ question: DepthQuestion) -> Finding {
        guard question.kind == .photo else { return .notChecked("The depth of a video was not analysed again.") }
        guard case .metadata(let metadata)? = question.owner.signed, let photo = question.owner.photo else {
            return .notChecked("The depth was not analysed again: that needs the photo as it was sent.")
        }
        // Read strictly first: Foundation's reader compares names of any length.
        guard (try? StrictJSON(question.evidence)) != nil,
            let stated = try? WireJSON.decode(EvidencePackage.self, from: question.evidence).depthAnalysis
        else {
            return .failed("The evidence says nothing of the depth that can be read.")
        }
        guard stated.method == DepthRule.method else {
            return .notChecked("The depth was not analysed again: it was judged by \(stated.method ?? "no method").")
        }
        do {
            let sides = try CaptureMetadata.parse(metadata)
            let map = try DepthMapDecoder.decode(question.depth, width: sides.depthWidth, height: sides.depthHeight)
            let measured = PhotoDepth.measurements(of: map, photo: photo)
            let again = DepthAnalysisEvidence(
                status: stated.status, measurements: measured, source: stated.source, reason: stated.reason,
                previewScale: stated.previewScale)
            guard again == stated else { return .failed("The depth gives other numbers than the evidence states.") }
            return .passed("The depth, analysed again, gives the numbers that the evidence states.")
        } catch let error as MetadataError {
            return .failed("The metadata cannot be read: \(error).")
        } catch {
            return .failed("The depth map cannot be read: \(error).")
        }
    }
}

/// A photo's depth map, measured as `depth-analyzer` does.
enum PhotoDepth {
    static func measurements(of map: DepthMap, photo: [UInt8]) -> DepthMeasurements {
        let gray = (try? PhotoVariants(photo))?.luma(covering: DepthMap.measuredSize(width: map.width, height: map.height))
        let luma = gray.flatMap { try? LumaImage(width: $0.width, height: $0.height, pixels: $0.pixels) }
        let exif = EXIFReader.read(jpeg: Array(photo.prefix(EXIFReader.headBytes)))
        return DepthAnalysis.analyze(depth: map, luma: luma, exifOrientation: exif?.orientation)
    }
}
