import Models
import Persistence

/// The sizes of pictures in `media_objects`.
struct PostgresPictureRepository: PictureRepository {
    let database: PostgresPool

    func unmeasured(after last: UnmeasuredPicture?, limit: Int) async throws -> [UnmeasuredPicture] {
        try await database.withConnection { try await MediaObjectTable($0).unmeasured(after: last, limit: limit) }
    }

    func save(_ pixels: PixelSize, of picture: UnmeasuredPicture) async throws {
        try await database.withConnection { try await MediaObjectTable($0).save(pixels, of: picture) }
    }
}
