import CaptureProtocol
import Models

/// Compares EXIF Model and the upload's `device_model` with the known iPhones and the registered model (SPEC §3).
enum ModelCheck {
    /// A contradiction outweighs an unknown model, and an unknown model a known one. Absent or empty names are skipped.
    static func result(exif: String?, claimed: String, registered: String) -> MetadataCheck<ModelReason> {
        let given = [exif, claimed].compactMap { $0 }.filter { !$0.isEmpty }
        if given.contains(where: { IPhoneModels.find($0)?.isSupported == false }) {
            return MetadataCheck(.fail, reason: .modelWithoutLiDAR)
        }
        if given.contains(where: { IPhoneModels.contradict($0, registered) }) {
            return MetadataCheck(.fail, reason: .differsFromRegistered)
        }
        guard !given.isEmpty, given.allSatisfy({ IPhoneModels.find($0) != nil }) else {
            return MetadataCheck(.unavailable, reason: .modelUnknown)
        }
        return MetadataCheck(.pass)
    }
}
