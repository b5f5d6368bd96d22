import Blocking
import ContentCredentials
import Models

/// The copy of a capture that Content Credentials sign.
enum SignableCopy: Sendable {
    case photo(PublicCopy)
    case video(PublicVideo)

    var name: MediaName {
        switch self {
        case .photo: .signedCopy
        case .video: .signedVideo
        }
    }

    /// Why the capture has no credentials if this cannot be signed.
    var refusal: CredentialsReason {
        switch self {
        // The word is older than videos, and readers know it.
        case .photo, .video: .photoNotSignable
        }
    }

    private var sizeBytes: Int64 {
        switch self {
        case .photo(let photo): Int64(photo.bytes.count)
        case .video(let video): video.sizeBytes
        }
    }

    /// Blocks.
    func sign(_ claim: CaptureClaim, by writer: CredentialWriter, in scratchFolder: String) throws(CredentialError) -> UnstoredCopy {
        do throws(CredentialError) {
            return try attempt(claim, by: writer, in: scratchFolder)
        } catch {
            guard case .refused = error, CredentialWriter.isLaidOnDisk(sizeBytes) else { throw error }
            // The library may have had no room for its copy.
            if let problem = diskProblem(scratchFolder) { throw .scratch("the library's copy: \(problem)") }
            throw error
        }
    }

    private func diskProblem(_ folder: String) -> NamelessFile.Failure? {
        do throws(NamelessFile.Failure) {
            try NamelessFile.probe(folder, sizeBytes: sizeBytes)
            return nil
        } catch {
            return error
        }
    }

    private func attempt(_ claim: CaptureClaim, by writer: CredentialWriter, in scratchFolder: String) throws(CredentialError)
        -> UnstoredCopy
    {
        switch self {
        case .photo(let photo):
            let signed = try writer.sign(claim, photo: photo.bytes)
            return UnstoredCopy(
                manifestID: signed.manifestID, manifest: signed.manifest, hasTimestamp: signed.hasTimestamp,
                copy: .memory(signed.bytes, photo.pixels))
        case .video(let video):
            let file: NamelessFile
            do {
                file = try NamelessFile(in: scratchFolder)
            } catch {
                throw .scratch("the copy: \(error)")
            }
            let signed = try writer.sign(
                claim, videoLength: video.sizeBytes,
                read: { offset, target in
                    guard let bytes = try? video.bytes(offset..<offset + Int64(target.count)) else { return -1 }
                    target.copyBytes(from: bytes)
                    return bytes.count
                }, into: file.descriptor)
            return UnstoredCopy(
                manifestID: signed.manifestID, manifest: signed.manifest, hasTimestamp: signed.hasTimestamp, copy: .file(file))
        }
    }
}
