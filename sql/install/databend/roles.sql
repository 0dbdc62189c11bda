--- admin: The role that may call the functions.
--- drop role: DROP ROLE IF EXISTS {{id .Values.Roles.Caller}}
CREATE ROLE IF NOT EXISTS {{id .Values.Roles.Caller}}
