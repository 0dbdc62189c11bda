--- hand: The query nodes must be allowed to call badger serve: in the configuration of each, below [query].
enable_udf_server = true
udf_server_allow_list = ["{{oneline .Values.Endpoint}}"]
